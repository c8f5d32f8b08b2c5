// SPDX-License-Identifier: MIT
// P. Ramalhete's queue of slots that are used once, by fetch-and-add: `enq` reserves the next
// unused slot, and fills it unless a `deq` has been there; `deq` reserves the next slot to be
// taken, and leaves a mark if it is empty.
//
// Before it reserves one, `deq` compares the two indexes. The mistake of RamalheteQueue: it first
// reads the index of the producers. If values are added and others taken before it reads the index
// of the consumers, it returns "empty". FixedRamalheteQueue reads them in the opposite order. (The
// original left the order to the compiler: `pop_idx >= push_idx` in one expression.)
//
// Source: xenium's ramalhete_queue before 2020-02-05, commit a18862f.
//
// Verdict: RamalheteQueue is not linearizable, FixedRamalheteQueue is. Smallest test: `pre enq(1);
// deq | enq(2), deq` (one preemption): deq returns empty.
#pragma once

#include <array>
#include <atomic>
#include <optional>

namespace plumb::objects {

template <bool kFixed>
class BasicRamalheteQueue {
 public:
  /// Requires: the value is positive, and there are no more than kSlots slots used.
  void enq(int value) {
    int expected;
    do {
      expected = kEmpty;
    } while (!slots_.at(pushed_.fetch_add(1)).compare_exchange_strong(expected, value));
  }

  /// Returns: nothing if it is empty.
  std::optional<int> deq() {
    while (!is_empty()) {
      const int value = slots_.at(popped_.fetch_add(1)).exchange(kTaken);
      if (value != kEmpty) return value;
    }
    return std::nullopt;
  }

 private:
  static constexpr std::size_t kSlots = 256;
  static constexpr int kEmpty = 0, kTaken = -1;

  bool is_empty() const {
    if constexpr (kFixed) {
      const std::size_t popped = popped_.load();
      return popped >= pushed_.load();
    } else {
      const std::size_t pushed = pushed_.load();
      return popped_.load() >= pushed;
    }
  }

  std::atomic<std::size_t> pushed_{0}, popped_{0};
  std::array<std::atomic<int>, kSlots> slots_{};
};

using RamalheteQueue = BasicRamalheteQueue<false>;
using FixedRamalheteQueue = BasicRamalheteQueue<true>;

}  // namespace plumb::objects
