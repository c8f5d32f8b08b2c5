// SPDX-License-Identifier: MIT
// The relaxed queue of Round-Up (Zhang et al.), section II and Table I: segments of k + 1 slots,
// filled in order; a `deq` takes any value of the first segment that is not used up. So a value
// leaves at most k places before its turn, and at most k others overtake it.
//
// A `deq` first draws a slot, then takes it. If another thread was faster, it draws again. The
// mistakes are three ways of not doing so:
//   QuasiQueueB1  takes the same slot of the next segment, or its last one if that is not so full:
//   more than k away from the head;
//   QuasiQueueB2  takes it nevertheless: a value that has been removed before;
//   QuasiQueueB3  returns "empty", although it is not.
//
// Source: Round-Up, Table I, which says what b1, b2 and b3 do, but not why. That all of them lose a
// slot is a guess. In favour of it: b1 and b2 have the same number of histories in Table II, and
// more than the correct one. (All histories of b2 are wrong in Table III, so theirs needs no second
// thread; ours does.)
//
// Verdict: QuasiQueue is k-quasi linearizable, and linearizable with k = 0. The others are not
// quasi linearizable; used by one thread they are. Smallest tests (one preemption):
// B1, k = 1: `pre enq(1), enq(2), enq(3); deq | deq; post deq`: 2, 3, 1, if both draw the second
// slot. If both draw the first one, it is 1, 3, 2: no segment gives that, so plain Line-Up convicts
// it, but it is 1-quasi linearizable. With k = 0 the next segment is the right one, and B1 is
// linearizable. B2, any k: `pre enq(1); deq | deq`: 1 twice. B3, any k:
// `pre enq(1), enq(2); deq | deq`: one of them finds nothing.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>
#include <vector>

#include "../random_index.hpp"

namespace plumb::objects {

/// What a `deq` does after it has lost its slot.
enum class LostSlot { draw_again, same_of_next_segment, take_it_nevertheless, say_empty };

template <unsigned kFactor, LostSlot kLost>
class BasicQuasiQueue {
 public:
  void enq(int value) {
    const std::lock_guard lock(mutex_);
    slots_.emplace_back(value);
  }

  /// Returns: nothing if it is empty.
  std::optional<int> deq() {
    while (true) {
      Slot* const slot = draw();
      if (slot == nullptr) return std::nullopt;
      if (!slot->taken.exchange(true)) return slot->value;
      if constexpr (kLost == LostSlot::take_it_nevertheless) return slot->value;
      if constexpr (kLost == LostSlot::say_empty) return std::nullopt;
      if constexpr (kLost == LostSlot::same_of_next_segment) {
        Slot* const other = of_next_segment(slot);
        if (other != nullptr && !other->taken.exchange(true)) return other->value;
      }
    }
  }

 private:
  static constexpr std::size_t kSlots = kFactor + 1;  // of a segment

  struct Slot {
    explicit Slot(int v) : value(v) {}
    const int value;
    std::atomic<bool> taken{false};
  };

  /// Returns: a slot of the first segment that was not taken when it was read, or null if there is
  /// none.
  Slot* draw() {
    const std::lock_guard lock(mutex_);
    while (true) {
      const std::size_t end = std::min(head_ + kSlots, slots_.size());
      std::vector<Slot*> left;
      for (std::size_t i = head_; i < end; ++i)
        if (!slots_[i].taken.load()) left.push_back(&slots_[i]);
      if (!left.empty()) return left[random_index(left.size())];
      if (end < head_ + kSlots) return nullptr;  // the last segment
      head_ += kSlots;
    }
  }

  Slot* of_next_segment(const Slot* slot) {
    const std::lock_guard lock(mutex_);
    std::size_t i = 0;
    while (&slots_[i] != slot) ++i;
    const std::size_t next = (i / kSlots + 1) * kSlots;
    return next < slots_.size() ? &slots_[std::min(i + kSlots, slots_.size() - 1)] : nullptr;
  }

  std::mutex mutex_;
  std::deque<Slot> slots_;  // in the order of `enq`; they never move
  std::size_t head_ = 0;    // the start of the first segment that is not used up
};

template <unsigned kFactor>
using QuasiQueue = BasicQuasiQueue<kFactor, LostSlot::draw_again>;
template <unsigned kFactor>
using QuasiQueueB1 = BasicQuasiQueue<kFactor, LostSlot::same_of_next_segment>;
template <unsigned kFactor>
using QuasiQueueB2 = BasicQuasiQueue<kFactor, LostSlot::take_it_nevertheless>;
template <unsigned kFactor>
using QuasiQueueB3 = BasicQuasiQueue<kFactor, LostSlot::say_empty>;

}  // namespace plumb::objects
