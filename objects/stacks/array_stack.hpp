// SPDX-License-Identifier: MIT
// A stack in an array: `push` moves the top up and fills the slot, `pop` moves the top down and
// takes the value there.
//
// The mistake of ArrayStack: each operation has two steps. While a `pop` is between them a `push`
// may fill the slot that it is about to read: then the new value is popped but stays in the stack,
// and the old one is lost. FixedArrayStack takes a lock.
//
// Source: crossbeam #1115 (not accepted).
//
// Verdict: ArrayStack is not linearizable, FixedArrayStack is. Smallest test: `pre push(1); pop |
// push(2); post pop` (one preemption): 2 is popped twice.
#pragma once

#include <array>
#include <atomic>
#include <mutex>
#include <optional>

namespace plumb::objects {

template <bool kFixed>
class BasicArrayStack {
 public:
  /// Returns: false if it is full.
  bool push(int value) {
    const auto lock = lock_if_fixed();
    int top = top_.load();
    do {
      if (top == kSlots) return false;
    } while (!top_.compare_exchange_strong(top, top + 1));
    slots_[static_cast<unsigned>(top)] = value;
    return true;
  }

  /// Returns: nothing if it is empty.
  std::optional<int> pop() {
    const auto lock = lock_if_fixed();
    int top = top_.load();
    do {
      if (top == 0) return std::nullopt;
    } while (!top_.compare_exchange_strong(top, top - 1));
    return slots_[static_cast<unsigned>(top - 1)].load();
  }

 private:
  static constexpr int kSlots = 16;

  std::unique_lock<std::mutex> lock_if_fixed() {
    return kFixed ? std::unique_lock(mutex_) : std::unique_lock<std::mutex>();
  }

  std::mutex mutex_;
  std::atomic<int> top_{0};
  std::array<std::atomic<int>, kSlots> slots_{};
};

using ArrayStack = BasicArrayStack<false>;
using FixedArrayStack = BasicArrayStack<true>;

}  // namespace plumb::objects
