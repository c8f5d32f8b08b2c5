// SPDX-License-Identifier: MIT
// A relaxed stack: a list of segments with k slots each, of which the topmost is used in any order
// (Henzinger et al., Quantitative Relaxation of Concurrent Data Structures, POPL 2013). Here k = 1,
// so that it should be a stack.
//
// A `pop` that finds the topmost segment empty raises its counter `removing`, looks once more that
// it is empty, and unlinks it. A `push` that has put its value into a segment asks whether somebody
// is removing it; if so it must see to it that the segment stays the topmost, or take its value
// back and try again.
//
// The mistake of KStack, as in algorithm 3 of Round-Up: it reads `removing` twice. If the `pop` has
// given up in between, the first read says that somebody is removing it, the second that nobody is,
// and `push` does nothing of both: it leaves its value there and puts it somewhere else as well.
// FixedKStack reads it once.
//
// Source: Round-Up (Zhang et al.), algorithm 3.
//
// Verdict: KStack is not linearizable, not even relaxed; FixedKStack is. Smallest test:
// `pre push(1), push(2), pop; push(3) | pop; post pop, pop, pop` (two preemptions): 3 is popped
// twice.
#pragma once

#include <atomic>
#include <optional>

#include "../recycled_nodes.hpp"

namespace plumb::objects {

template <bool kFixed>
class BasicKStack {
 public:
  BasicKStack() { top_ = CountedLink{segments_.get(), 0}; }

  /// Requires: the value is not 0. There can be no more than 64 segments, since none is used again.
  void push(int value) {
    std::uint32_t made = 0;
    while (true) {
      CountedLink top = top_.load();
      Segment& segment = segments_[top.node];
      Item item = segment.item.load();
      if (top != top_.load()) continue;
      if (item.value == 0) {
        const Item mine = {value, item.count + 1};
        if (segment.item.compare_exchange_strong(item, mine) && committed(top, mine)) return;
      } else {
        if (made == 0) made = segments_.get();
        segments_[made].item = Item{value, 0};
        segments_[made].below = top.node;
        if (top_.compare_exchange_strong(top, {made, top.count + 1})) return;
      }
    }
  }

  /// Returns: nothing if it is empty.
  std::optional<int> pop() {
    while (true) {
      CountedLink top = top_.load();
      Segment& segment = segments_[top.node];
      Item item = segment.item.load();
      if (top != top_.load()) continue;
      if (item.value != 0) {
        if (segment.item.compare_exchange_strong(item, {0, item.count + 1})) return item.value;
      } else if (segment.below.load() != 0) {
        try_remove(top);
      } else if (segment.item.load() == item && top == top_.load()) {
        return std::nullopt;
      }
    }
  }

 private:
  struct alignas(8) Item {
    bool operator==(const Item&) const = default;
    int value = 0;
    std::uint32_t count = 0;
  };
  struct Segment {
    std::atomic<Item> item{Item{}};
    std::atomic<int> removing{0};
    std::atomic<std::uint32_t> below{0};
  };

  void try_remove(CountedLink top) {
    Segment& segment = segments_[top.node];
    ++segment.removing;
    if (segment.item.load().value == 0 &&
        top_.compare_exchange_strong(top, {segment.below.load(), top.count + 1}))
      return;
    --segment.removing;
  }

  /// Whether the item that was put into the segment at the top is in the stack.
  bool committed(CountedLink top, Item item) {
    Segment& segment = segments_[top.node];
    if (segment.item.load() != item) return true;  // popped already
    const int removing = segment.removing.load();
    if (removing == 0) return true;
    if ((kFixed ? removing : segment.removing.load()) >= 1) {
      if (top_.load() == top && top_.compare_exchange_strong(top, {top.node, top.count + 1}))
        return true;
      return !segment.item.compare_exchange_strong(item, {0, item.count + 1});
    }
    return false;
  }

  RecycledNodes<Segment> segments_;
  std::atomic<CountedLink> top_;
};

using KStack = BasicKStack<false>;
using FixedKStack = BasicKStack<true>;

}  // namespace plumb::objects
