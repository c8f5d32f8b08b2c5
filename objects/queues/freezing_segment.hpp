// SPDX-License-Identifier: MIT
// A segment of .NET's ConcurrentQueue (since .NET Core 2.0): Vyukov's bounded queue, which can be
// frozen. After that nothing can be added: the tail is moved so far that every enqueue finds it
// full.
//
// A `deq` whose slot is not yet filled checks whether the segment is empty: whether the tail,
// without the offset added by freezing, is at the head. The mistake of FreezingSegment: `freeze`
// first sets the flag and then moves the tail. In between a `deq` subtracts an offset that is not
// yet added, and returns "empty". FixedFreezingSegment does it in the opposite order: the worst
// case then is that `deq` checks again.
//
// Source: dotnet/runtime #132736.
//
// Verdict: FreezingSegment is not linearizable, FixedFreezingSegment is. Smallest test: `enq(1),
// freeze | enq(2), deq` (two preemptions), with three threads `enq(1) | enq(2), deq | freeze`: deq
// returns empty.
#pragma once

#include <array>
#include <atomic>
#include <mutex>
#include <optional>
#include <thread>

namespace plumb::objects {

template <bool kFixed>
class BasicFreezingSegment {
 public:
  BasicFreezingSegment() {
    for (int i = 0; i < kSlots; ++i) slots_[static_cast<unsigned>(i)].turn = i;
  }

  /// Returns: false if it is full or frozen.
  bool enq(int value) {
    int tail = tail_.load();
    while (true) {
      Slot& slot = slot_at(tail);
      const int turn = slot.turn.load();
      if (turn < tail) return false;
      if (turn > tail) {
        tail = tail_.load();
      } else if (tail_.compare_exchange_strong(tail, tail + 1)) {
        slot.value = value;
        slot.turn = tail + 1;
        return true;
      }
    }
  }

  /// Returns: nothing if it is empty.
  std::optional<int> deq() {
    int head = head_.load();
    while (true) {
      Slot& slot = slot_at(head);
      const int turn = slot.turn.load();
      if (turn == head + 1) {
        if (!head_.compare_exchange_strong(head, head + 1)) continue;
        const int value = slot.value.load();
        slot.turn = head + kSlots;
        return value;
      }
      if (turn < head + 1) {
        const bool frozen = frozen_.load();
        if (tail_.load() - (frozen ? kFreezeOffset : 0) <= head) return std::nullopt;
        std::this_thread::yield();  // until it is filled
      }
      head = head_.load();
    }
  }

  void freeze() {
    const std::lock_guard lock(freezing_);  // the queue's, which holds it while it freezes
    if (frozen_) return;
    if (!kFixed) frozen_ = true;
    tail_ += kFreezeOffset;
    if (kFixed) frozen_ = true;
  }

 private:
  static constexpr int kSlots = 4, kFreezeOffset = 2 * kSlots;

  struct Slot {
    std::atomic<int> turn;
    std::atomic<int> value{0};
  };

  Slot& slot_at(int position) { return slots_[static_cast<unsigned>(position) % kSlots]; }

  std::array<Slot, kSlots> slots_;
  std::atomic<int> head_{0}, tail_{0};
  std::atomic<bool> frozen_{false};
  std::mutex freezing_;
};

using FreezingSegment = BasicFreezingSegment<false>;
using FixedFreezingSegment = BasicFreezingSegment<true>;

}  // namespace plumb::objects
