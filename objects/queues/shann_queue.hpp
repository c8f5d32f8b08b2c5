// SPDX-License-Identifier: MIT
// The array queue of Shann, Huang and Chen (ICPADS 2000), as far as it is known: a ring of two
// slots whose values carry counters; `enq` fills the slot at the rear and then moves the rear,
// `deq` empties the one at the front and then moves the front, and a thread that finds one not yet
// moved helps.
//
// The mistake of ShannQueue: the slot is read before the ends are compared. A `deq` reads an empty
// slot; then it is filled, and the rear moves; now the queue is not empty, and `deq` assumes that
// another thread has emptied the slot, and moves the front past a value, which is lost.
// FixedShannQueue reads both ends first, and then checks whether they have changed.
//
// Source: as above; the mistake: Colvin & Groves, ICECCS 2005.
//
// Verdict: ShannQueue is not linearizable; FixedShannQueue is, as far as small tests can show.
// Smallest tests (one preemption): `enq(1) | deq; post deq`: both find nothing; `enq(1), enq(2) |
// deq`: 2.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>

namespace plumb::objects {

template <bool kFixed>
class BasicShannQueue {
 public:
  /// Requires: the value is not 0. Returns: false if it is full.
  bool enq(int value) {
    while (true) {
      std::uint32_t rear = rear_.load();
      const std::uint32_t front = kFixed ? front_.load() : 0;
      Slot slot = slots_[rear % kSlots].load();
      if (rear != rear_.load()) continue;
      if (rear == (kFixed ? front : front_.load()) + kSlots) {
        if (!kFixed || front == front_.load()) return false;
      } else if (slot.value != 0) {
        rear_.compare_exchange_strong(rear, rear + 1);
      } else if (slots_[rear % kSlots].compare_exchange_strong(slot, {value, slot.count + 1})) {
        rear_.compare_exchange_strong(rear, rear + 1);
        return true;
      }
    }
  }

  /// Returns: nothing if it is empty.
  std::optional<int> deq() {
    while (true) {
      std::uint32_t front = front_.load();
      const std::uint32_t rear = kFixed ? rear_.load() : 0;
      Slot slot = slots_[front % kSlots].load();
      if (front != front_.load()) continue;
      if (front == (kFixed ? rear : rear_.load())) {
        if (!kFixed || rear == rear_.load()) return std::nullopt;
      } else if (slot.value == 0) {
        front_.compare_exchange_strong(front, front + 1);
      } else if (slots_[front % kSlots].compare_exchange_strong(slot, {0, slot.count + 1})) {
        front_.compare_exchange_strong(front, front + 1);
        return slot.value;
      }
    }
  }

 private:
  static constexpr std::uint32_t kSlots = 2;
  struct alignas(8) Slot {
    int value = 0;
    std::uint32_t count = 0;
  };

  std::array<std::atomic<Slot>, kSlots> slots_{};
  std::atomic<std::uint32_t> front_{0}, rear_{0};
};

using ShannQueue = BasicShannQueue<false>;
using FixedShannQueue = BasicShannQueue<true>;

}  // namespace plumb::objects
