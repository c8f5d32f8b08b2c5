// SPDX-License-Identifier: MIT
// A relaxed queue in a ring of segments of k + 1 slots, without locks (Kirsch, Lippautz, Payer:
// Fast and Scalable, Lock-Free k-FIFO Queues, PaCT 2013; `bk-queue` of Scal). Values enter the
// segment at the tail and leave the one at the head, in any order within it.
//
// An `enq` that has filled a slot checks whether the segment is still between head and tail
// (`committed`). If not, no `deq` will search there, and it takes its value back; if the segment is
// the head now, it increments the head's counter, so that no thread that found the segment empty
// before can advance the head. A `deq` from the only segment moves the tail first: a partly emptied
// segment is not filled again, otherwise values could be overtaken forever.
//
// Source: as above; Round-Up (Zhang et al.), Table IV (which ascribes it to Afek et al.).
//
// Verdict: k-quasi linearizable, and linearizable with k = 0. Except when it is full: `enq` may
// return false as soon as more than (kSegments - 1) * (k + 1) values are in it, and that depends on
// where they are.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>

#include "../counted_value.hpp"
#include "../random_index.hpp"

namespace plumb::objects {

template <unsigned kFactor, std::uint32_t kSegments = 32>
class BoundedKFifo {
 public:
  /// Requires: the value is not 0. Returns: false if it is full.
  bool enq(int value) {
    while (true) {
      const End tail = tail_.load(), head = head_.load();
      Found free = find(tail, [](CountedValue item) { return item.value == 0; });
      if (tail != tail_.load()) continue;
      if (free.slot != nullptr) {
        const CountedValue mine = {value, free.item.count + 1};
        if (free.slot->compare_exchange_strong(free.item, mine) &&
            committed(tail, *free.slot, mine))
          return true;
        continue;
      }
      if (next(tail) == head.segment) {
        const Found used = find(head, [](CountedValue item) { return item.value != 0; });
        if (used.slot != nullptr && head == head_.load()) return false;
        advance(head_, head);
      }
      advance(tail_, tail);
    }
  }

  /// Returns: nothing if it is empty.
  std::optional<int> deq() {
    while (true) {
      const End head = head_.load(), tail = tail_.load();
      Found used = find(head, [](CountedValue item) { return item.value != 0; });
      if (head != head_.load()) continue;
      if (used.slot != nullptr) {
        if (head.segment == tail.segment) advance(tail_, tail);
        if (used.slot->compare_exchange_strong(used.item, {0, used.item.count + 1}))
          return used.item.value;
      } else {
        if (head.segment == tail.segment && tail == tail_.load()) return std::nullopt;
        advance(head_, head);
      }
    }
  }

 private:
  static constexpr std::size_t kSlots = kFactor + 1;  // of a segment
  using Slot = std::atomic<CountedValue>;

  struct alignas(8) End {
    bool operator==(const End&) const = default;
    std::uint32_t segment = 0;
    std::uint32_t count = 0;
  };
  struct Found {
    Slot* slot = nullptr;
    CountedValue item;
  };

  /// Visits the slots of a segment one after the other, starting anywhere.
  template <class Wanted>
  Found find(End end, Wanted wanted) {
    const std::size_t first = random_index(kSlots);
    for (std::size_t i = 0; i < kSlots; ++i) {
      Slot& slot = segments_[end.segment][(first + i) % kSlots];
      const CountedValue item = slot.load();
      if (wanted(item)) return {&slot, item};
    }
    return {};
  }

  static std::uint32_t next(End end) { return (end.segment + 1) % kSegments; }

  static void advance(std::atomic<End>& which, End from) {
    which.compare_exchange_strong(from, {next(from), from.count + 1});
  }

  /// Whether the value put into a slot of the segment that was the tail is in the queue.
  bool committed(End was_tail, Slot& slot, CountedValue item) {
    if (slot.load() != item) return true;  // removed already
    // Head first: one that is newer than the tail would look like a ring that has wrapped around.
    End head = head_.load();
    const End tail = tail_.load();
    const std::uint32_t segment = was_tail.segment;
    if (segment == head.segment) {
      if (head_.compare_exchange_strong(head, {head.segment, head.count + 1})) return true;
    } else if (tail.segment < head.segment ? head.segment < segment || segment <= tail.segment
                                           : head.segment < segment && segment <= tail.segment) {
      return true;
    }
    return !slot.compare_exchange_strong(item, {0, item.count + 1});
  }

  std::array<std::array<Slot, kSlots>, kSegments> segments_{};
  std::atomic<End> head_{End{}}, tail_{End{}};
};

}  // namespace plumb::objects
