// SPDX-License-Identifier: MIT
// A map from int to int (of the keys 0..7) without locks: `put` changes the value of its key by
// compare-and-swap and returns the one before.
//
// The mistake of NonBlockingMap: if the compare-and-swap fails, somebody else has put a value, and
// it does not try again: its own, it thinks, may as well have been put right before that one, and
// be gone. But what it returns is that one, which came after. FixedNonBlockingMap tries again.
//
// Source: JCTools #205, #319 (NonBlockingHashMapLong).
//
// Verdict: NonBlockingMap is not linearizable, FixedNonBlockingMap is. Smallest test: `put(5,1) |
// put(5,2); post get(5)` (one preemption): one put returns the other's value, which is nevertheless
// the last one.
#pragma once

#include <array>
#include <atomic>
#include <optional>

namespace plumb::objects {

template <bool kFixed>
class BasicNonBlockingMap {
 public:
  /// Requires: the value is not 0. Returns: what was there before, if anything.
  std::optional<int> put(int key, int value) {
    std::atomic<int>& place = places_.at(static_cast<std::size_t>(key));
    int before = place.load();
    while (!place.compare_exchange_strong(before, value) && kFixed) {}
    return optional(before);
  }

  std::optional<int> get(int key) const {
    return optional(places_.at(static_cast<std::size_t>(key)).load());
  }

 private:
  static std::optional<int> optional(int value) {
    return value == 0 ? std::nullopt : std::optional(value);
  }

  std::array<std::atomic<int>, 8> places_{};
};

using NonBlockingMap = BasicNonBlockingMap<false>;
using FixedNonBlockingMap = BasicNonBlockingMap<true>;

}  // namespace plumb::objects
