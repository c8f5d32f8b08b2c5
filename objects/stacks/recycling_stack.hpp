// SPDX-License-Identifier: MIT
// Treiber's stack (1986) whose nodes are reused.
//
// The mistake of UncountedStack: a `pop` reads the top and the node below it, and is delayed;
// meanwhile both are popped, and the first one is pushed again. The compare-and-swap finds the top
// that it expects, and makes the second one, which is no longer in the stack, the top (ABA).
// RecyclingStack counts the changes of the top, in the same word. It matters which node is reused:
// if it is always the one popped last, two threads do not show the mistake.
//
// Source: Treiber, IBM RJ 5118; ICLDisco/parsec #21, squid #587.
//
// Verdict: UncountedStack is not linearizable, RecyclingStack is. Smallest test:
// `pre push(1), push(2); pop | pop, pop, push(3); post pop` (one preemption): 1 comes back.
#pragma once

#include <atomic>
#include <optional>

#include "../recycled_nodes.hpp"

namespace plumb::objects {

template <bool kCounts>
class BasicRecyclingStack {
 public:
  void push(int value) {
    const std::uint32_t node = nodes_.get();
    nodes_[node].value = value;
    CountedLink top = top_.load();
    do {
      nodes_[node].below = top.node;
    } while (!top_.compare_exchange_strong(top, after(top, node)));
  }

  /// Returns: nothing if it is empty.
  std::optional<int> pop() {
    CountedLink top = top_.load();
    while (true) {
      if (top.node == 0) return std::nullopt;
      const int value = nodes_[top.node].value.load();
      const std::uint32_t below = nodes_[top.node].below.load();
      if (!top_.compare_exchange_strong(top, after(top, below))) continue;
      nodes_.put(top.node);
      return value;
    }
  }

 private:
  struct Node {
    std::atomic<int> value{0};
    std::atomic<std::uint32_t> below{0};
  };

  static CountedLink after(CountedLink top, std::uint32_t node) {
    return {node, kCounts ? top.count + 1 : 0};
  }

  RecycledNodes<Node> nodes_;
  std::atomic<CountedLink> top_{CountedLink{}};
};

using UncountedStack = BasicRecyclingStack<false>;
using RecyclingStack = BasicRecyclingStack<true>;

}  // namespace plumb::objects
