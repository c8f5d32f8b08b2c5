// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace plumb::objects {

/// What is in a slot, and how often the slot has changed, in one word: a slot that was emptied and
/// filled again with the same value is not the same.
struct alignas(8) CountedValue {
  bool operator==(const CountedValue&) const = default;
  int value = 0;  // 0: none
  std::uint32_t count = 0;
};

}  // namespace plumb::objects
