// SPDX-License-Identifier: MIT
// A queue in a long array: `enq` reserves a slot by moving the tail, then fills it; `deq` takes the
// value in the slot at the head.
//
// The mistake of IQueue: a slot that is still empty counts as the end of the queue, although it may
// be reserved, and the slots behind it full. FixedIQueue reads the tail to see whether the queue is
// empty, and otherwise waits for the slot.
//
// Source: Herlihy & Shavit, The Art of Multiprocessor Programming, an exercise of chapter 3;
// Round-Up (Zhang et al.), Table I.
//
// Verdict: IQueue is not linearizable, FixedIQueue is. Smallest test: `enq(1) | enq(2), deq` (one
// preemption): deq returns empty.
#pragma once

#include <array>
#include <atomic>
#include <optional>
#include <thread>

namespace plumb::objects {

template <bool kFixed>
class BasicIQueue {
 public:
  /// Requires: the value is not 0, and there are no more than kSlots calls.
  void enq(int value) { slots_.at(tail_.fetch_add(1)) = value; }

  /// Returns: nothing if it is empty.
  std::optional<int> deq() {
    while (true) {
      std::size_t slot = head_.load();
      if (kFixed && slot == tail_.load()) return std::nullopt;
      const int value = slots_.at(slot).load();
      if (value == 0) {
        if (!kFixed) return std::nullopt;
        std::this_thread::yield();
      } else if (head_.compare_exchange_strong(slot, slot + 1)) {
        return value;
      }
    }
  }

 private:
  static constexpr std::size_t kSlots = 64;
  std::atomic<std::size_t> head_{0}, tail_{0};
  std::array<std::atomic<int>, kSlots> slots_{};
};

using IQueue = BasicIQueue<false>;
using FixedIQueue = BasicIQueue<true>;

}  // namespace plumb::objects
