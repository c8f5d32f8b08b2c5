// SPDX-License-Identifier: MIT
// A relaxed queue: a list of segments of k + 1 slots, without locks (Kirsch, Lippautz, Payer: Fast
// and Scalable, Lock-Free k-FIFO Queues, PaCT 2013; `ubk-queue` of Scal). It is BoundedKFifo with
// links instead of a ring: a segment that the head has left is marked as deleted, and an `enq` that
// has filled one of its slots too late sees the mark (`committed`), and takes its value back.
//
// Source: as above; Round-Up (Zhang et al.), Table IV.
//
// Verdict: k-quasi linearizable, and linearizable with k = 0.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>

#include "../counted_value.hpp"
#include "../random_index.hpp"
#include "../recycled_nodes.hpp"

namespace plumb::objects {

template <unsigned kFactor>
class UnboundedKFifo {
 public:
  UnboundedKFifo() {
    const CountedLink first = {segments_.get(), 0};
    head_ = first;
    tail_ = first;
  }

  /// Requires: the value is not 0. At most 128 segments can be used, because none is reused.
  void enq(int value) {
    while (true) {
      const CountedLink tail = tail_.load();
      Found free = find(tail, [](CountedValue item) { return item.value == 0; });
      if (tail != tail_.load()) continue;
      if (free.slot == nullptr) {
        advance_tail(tail);
        continue;
      }
      const CountedValue mine = {value, free.item.count + 1};
      if (free.slot->compare_exchange_strong(free.item, mine) && committed(tail, *free.slot, mine))
        return;
    }
  }

  /// Returns: nothing if it is empty.
  std::optional<int> deq() {
    while (true) {
      const CountedLink head = head_.load(), tail = tail_.load();
      Found used = find(head, [](CountedValue item) { return item.value != 0; });
      if (head != head_.load()) continue;
      if (used.slot != nullptr) {
        if (head.node == tail.node) advance_tail(tail);
        if (used.slot->compare_exchange_strong(used.item, {0, used.item.count + 1}))
          return used.item.value;
      } else {
        if (head.node == tail.node && tail == tail_.load()) return std::nullopt;
        advance_head(head);
      }
    }
  }

 private:
  static constexpr std::size_t kSlots = kFactor + 1;  // of a segment
  using Slot = std::atomic<CountedValue>;

  struct Segment {
    std::array<Slot, kSlots> slots{};
    std::atomic<std::uint32_t> next{0};
    std::atomic<bool> deleted{false};
  };
  struct Found {
    Slot* slot = nullptr;
    CountedValue item;
  };

  /// Visits the slots of a segment one after the other, starting anywhere.
  template <class Wanted>
  Found find(CountedLink end, Wanted wanted) {
    const std::size_t first = random_index(kSlots);
    for (std::size_t i = 0; i < kSlots; ++i) {
      Slot& slot = segments_[end.node].slots[(first + i) % kSlots];
      const CountedValue item = slot.load();
      if (wanted(item)) return {&slot, item};
    }
    return {};
  }

  void advance_tail(CountedLink tail) {
    std::atomic<std::uint32_t>& link = segments_[tail.node].next;
    std::uint32_t next = link.load();
    if (next == 0) {
      const std::uint32_t made = segments_.get();
      if (link.compare_exchange_strong(next, made)) next = made;
      else segments_.put(made);
    }
    tail_.compare_exchange_strong(tail, {next, tail.count + 1});
  }

  void advance_head(CountedLink head) {
    if (head != head_.load()) return;
    const CountedLink tail = tail_.load();
    Segment& segment = segments_[head.node];
    if (head.node == tail.node) {
      if (segment.next.load() == 0) return;
      advance_tail(tail);
    }
    segment.deleted = true;
    head_.compare_exchange_strong(head, {segment.next.load(), head.count + 1});
  }

  /// Whether the value put into a slot of the segment that was the tail is in the queue.
  bool committed(CountedLink was_tail, Slot& slot, CountedValue item) {
    if (slot.load() != item) return true;  // removed already
    const Segment& segment = segments_[was_tail.node];
    if (!segment.deleted.load()) {
      CountedLink head = head_.load();
      if (head.node == was_tail.node) {
        if (head_.compare_exchange_strong(head, {head.node, head.count + 1})) return true;
      } else if (!segment.deleted.load()) {
        return true;
      }
    }
    return !slot.compare_exchange_strong(item, {0, item.count + 1});
  }

  RecycledNodes<Segment, 128> segments_;
  std::atomic<CountedLink> head_, tail_;
};

}  // namespace plumb::objects
