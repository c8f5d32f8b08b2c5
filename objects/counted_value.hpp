// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace plumb::objects {

/// The content of a slot and the number of its changes, in one word: a slot that was emptied and
/// filled again with the same value compares as different.
struct alignas(8) CountedValue {
  bool operator==(const CountedValue&) const = default;
  int value = 0;  // 0: none
  std::uint32_t count = 0;
};

}  // namespace plumb::objects
