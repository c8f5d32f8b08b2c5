// SPDX-License-Identifier: MIT
// Characters of UTF-8, for all that prints text from outside.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace plumb {

struct Utf8Character {
  std::uint32_t point = 0;
  std::size_t bytes = 0;
  bool valid = false;  // else `bytes` are none, or the beginning of one
};

/// What stands at the beginning of the text (the Unicode standard, table 3-7).
/// Requires: it is not empty.
Utf8Character first_character(std::string_view text);

/// Whether a character directs a terminal or the order of the text around it, instead of being
/// shown: C0, C1, separators of lines, and the marks that reverse the direction of writing.
constexpr bool is_control(std::uint32_t point) {
  return point < 0x20 || (point >= 0x7f && point < 0xa0) || point == 0x61c || point == 0x200e ||
         point == 0x200f || (point >= 0x2028 && point <= 0x202e) ||
         (point >= 0x2066 && point <= 0x2069) || point == 0xfeff;
}

}  // namespace plumb
