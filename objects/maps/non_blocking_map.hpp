// SPDX-License-Identifier: MIT
// A map from int to int (keys 0..7) without locks: `put` changes the value of its key by
// compare-and-swap and returns the previous one.
//
// The mistake of NonBlockingMap: if the compare-and-swap fails, another thread has put a value, and
// `put` does not retry: its own value might have been put just before that one and been
// overwritten. But it returns that other value, which came after. FixedNonBlockingMap retries.
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
  /// Requires: the value is not 0. Returns: the previous value, if any.
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
