// SPDX-License-Identifier: MIT
// A ring for one producer and one consumer. The consumer sleeps while the ring is empty; the
// producer wakes it only if the flag says that it sleeps, because waking is expensive.
//
// The mistake of SpscQueue: the consumer checks for a value, then sets the flag, then sleeps. If
// the producer adds after the first step and before the second, the consumer is not woken.
// FixedSpscQueue checks once more in between.
//
// Source: yuzu #6868; LMAX Disruptor #119 (BlockingWaitStrategy).
//
// Verdict: SpscQueue is not linearizable if blocking counts, FixedSpscQueue is. Smallest test:
// `enq(1) | deq` (one preemption): deq is stuck, although there is a value.
#pragma once

#include <array>
#include <atomic>
#include <condition_variable>
#include <mutex>

namespace plumb::objects {

template <bool kFixed>
class BasicSpscQueue {
 public:
  /// For one thread only. Returns: false if it is full.
  bool enq(int value) {
    const unsigned tail = tail_.load();
    if (tail - head_.load() == kSlots) return false;
    slots_[tail % kSlots] = value;
    tail_ = tail + 1;
    if (sleeps_.load()) {
      const std::lock_guard lock(mutex_);
      woken_.notify_one();
    }
    return true;
  }

  /// For one thread only. Waits for a value.
  int deq() {
    const unsigned head = head_.load();
    if (tail_.load() == head) sleep_until_after(head);
    const int value = slots_[head % kSlots].load();
    head_ = head + 1;
    return value;
  }

 private:
  static constexpr unsigned kSlots = 4;

  void sleep_until_after(unsigned head) {
    std::unique_lock lock(mutex_);
    sleeps_ = true;
    if constexpr (kFixed) {
      woken_.wait(lock, [&] { return tail_.load() != head; });
    } else {
      do { woken_.wait(lock); } while (tail_.load() == head);
    }
    sleeps_ = false;
  }

  std::array<std::atomic<int>, kSlots> slots_{};
  std::atomic<unsigned> head_{0}, tail_{0};
  std::atomic<bool> sleeps_{false};
  std::mutex mutex_;
  std::condition_variable woken_;
};

using SpscQueue = BasicSpscQueue<false>;
using FixedSpscQueue = BasicSpscQueue<true>;

}  // namespace plumb::objects
