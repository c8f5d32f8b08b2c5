// SPDX-License-Identifier: MIT
#include "base/utf8.hpp"

namespace plumb {

Utf8Character first_character(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return {first, 1, true};
  if (first < 0xc2 || first > 0xf4) return {0, 1, false};
  const std::size_t length = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  std::uint32_t point = first & (0x7fU >> length);
  for (std::size_t i = 1; i < length; ++i) {
    const unsigned low = i > 1 ? 0x80 : first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
    const unsigned high = i > 1 ? 0xbf : first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
    if (i >= text.size() || byte(i) < low || byte(i) > high) return {0, i, false};
    point = point << 6 | (byte(i) & 0x3fU);
  }
  return {point, length, true};
}

}  // namespace plumb
