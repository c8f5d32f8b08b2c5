// SPDX-License-Identifier: MIT
// A relaxed stack: a list of segments of k + 1 slots; within the topmost one values leave in any
// order (Henzinger et al., Quantitative Relaxation of Concurrent Data Structures, POPL 2013).
//
// A `pop` that finds the topmost segment empty raises its counter `removing`, checks once more that
// it is empty, and unlinks it. A `push` that has put its value into a segment checks whether a
// `pop` is removing it; if so it must ensure that the segment stays the topmost, or take its value
// back and try again.
//
// The mistake of KStack, as in algorithm 3 of Round-Up: it reads `removing` twice. If the `pop` has
// given up in between, the first read finds that the segment is being removed, the second that it
// is not, and `push` does neither: it leaves its value there and also puts it into another segment.
// FixedKStack reads it once.
//
// Source: Round-Up (Zhang et al.), algorithm 3 and Table IV.
//
// Verdict: FixedKStack is k-quasi linearizable, and linearizable with k = 0. KStack is not quasi
// linearizable for any k, although it is correct with one thread. Smallest test, k = 0: `pre
// push(1), push(2), pop; push(3) | pop; post pop, pop, pop` (two preemptions): 3 is popped twice.
// (Round-Up's k is the number of slots, so this is its k = 1.) The relaxation is `strict`: under
// `slot` not even FixedKStack is correct if k > 0. After `push(1), push(2), pop` = 1 the freed slot
// is filled by `push(3)`, and 2 may be popped before 3: then 1 was popped two places too early.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <optional>

#include "../counted_value.hpp"
#include "../random_index.hpp"
#include "../recycled_nodes.hpp"

namespace plumb::objects {

template <unsigned kFactor, bool kFixed>
class BasicKStack {
 public:
  BasicKStack() { top_ = CountedLink{segments_.get(), 0}; }

  /// Requires: the value is not 0. At most 64 segments can be used, because none is reused.
  void push(int value) {
    std::uint32_t made = 0;
    while (true) {
      CountedLink top = top_.load();
      Found free = find(top, [](CountedValue item) { return item.value == 0; });
      if (top != top_.load()) continue;
      if (free.slot != nullptr) {
        const CountedValue mine = {value, free.item.count + 1};
        if (free.slot->compare_exchange_strong(free.item, mine) && committed(top, *free.slot, mine))
          return;
      } else {
        if (made == 0) made = segments_.get();
        segments_[made].slots[0] = CountedValue{value, 0};
        segments_[made].below = top.node;
        if (top_.compare_exchange_strong(top, {made, top.count + 1})) return;
      }
    }
  }

  /// Returns: nothing if it is empty.
  std::optional<int> pop() {
    while (true) {
      const CountedLink top = top_.load();
      Found used = find(top, [](CountedValue item) { return item.value != 0; });
      if (top != top_.load()) continue;
      if (used.slot != nullptr) {
        if (used.slot->compare_exchange_strong(used.item, {0, used.item.count + 1}))
          return used.item.value;
      } else if (segments_[top.node].below.load() != 0) {
        try_remove(top);
      } else if (is_empty(segments_[top.node]) && top == top_.load()) {
        return std::nullopt;
      }
    }
  }

 private:
  static constexpr std::size_t kSlots = kFactor + 1;
  using Slot = std::atomic<CountedValue>;

  struct Segment {
    std::array<Slot, kSlots> slots{};
    std::atomic<int> removing{0};
    std::atomic<std::uint32_t> below{0};
  };
  struct Found {
    Slot* slot = nullptr;
    CountedValue item;
  };

  /// Visits the slots of a segment one after the other, starting anywhere.
  template <class Wanted>
  Found find(CountedLink top, Wanted wanted) {
    const std::size_t first = random_index(kSlots);
    for (std::size_t i = 0; i < kSlots; ++i) {
      Slot& slot = segments_[top.node].slots[(first + i) % kSlots];
      const CountedValue item = slot.load();
      if (wanted(item)) return {&slot, item};
    }
    return {};
  }

  // Counters only grow: slots that are unchanged when read again held these values at the same
  // time.
  static bool is_empty(const Segment& segment) {
    std::array<CountedValue, kSlots> seen;
    for (std::size_t i = 0; i < kSlots; ++i)
      if ((seen[i] = segment.slots[i].load()).value != 0) return false;
    for (std::size_t i = 0; i < kSlots; ++i)
      if (segment.slots[i].load() != seen[i]) return false;
    return true;
  }

  void try_remove(CountedLink top) {
    Segment& segment = segments_[top.node];
    ++segment.removing;
    if (is_empty(segment) &&
        top_.compare_exchange_strong(top, {segment.below.load(), top.count + 1}))
      return;
    --segment.removing;
  }

  /// Whether the value put into a slot of the segment at the top is in the stack.
  bool committed(CountedLink top, Slot& slot, CountedValue item) {
    Segment& segment = segments_[top.node];
    if (slot.load() != item) return true;  // popped already
    const int removing = segment.removing.load();
    if (removing == 0) return true;
    if ((kFixed ? removing : segment.removing.load()) >= 1) {
      if (top_.load() == top && top_.compare_exchange_strong(top, {top.node, top.count + 1}))
        return true;
      return !slot.compare_exchange_strong(item, {0, item.count + 1});
    }
    return false;
  }

  RecycledNodes<Segment> segments_;
  std::atomic<CountedLink> top_;
};

template <unsigned kFactor>
using KStack = BasicKStack<kFactor, false>;
template <unsigned kFactor>
using FixedKStack = BasicKStack<kFactor, true>;

}  // namespace plumb::objects
