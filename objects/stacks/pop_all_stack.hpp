// SPDX-License-Identifier: MIT
// A stack for one thread that pushes and one that takes all values at once, by an exchange.
//
// The mistake of PopAllStack: because only one thread pushes, it changes the top by a store. But
// the other thread changes the top too: if it has taken all values after `push` has read the top,
// `push` links its node before nodes that were taken, and they are taken again. FixedPopAllStack
// uses compare-and-swap.
//
// Source: RossBencina/QueueWorld #1.
//
// Verdict: PopAllStack is not linearizable, FixedPopAllStack is. Smallest test:
// `pre push(1); push(2) | pop_all; post pop_all` (one preemption): [1], then [2, 1].
#pragma once

#include <atomic>
#include <vector>

#include "../sets/node_pool.hpp"

namespace plumb::objects {

template <bool kFixed>
class BasicPopAllStack {
 public:
  /// For one thread only.
  void push(int value) {
    Node* const node = pool_.make(value, top_.load());
    if constexpr (kFixed) {
      while (!top_.compare_exchange_weak(node->below, node)) {}
    } else {
      top_ = node;
    }
  }

  std::vector<int> pop_all() {
    std::vector<int> values;
    for (const Node* node = top_.exchange(nullptr); node != nullptr; node = node->below)
      values.push_back(node->value);
    return values;
  }

 private:
  struct Node {
    Node(int v, Node* b) : value(v), below(b) {}
    const int value;
    Node* below;
    Node* made_before = nullptr;
  };

  NodePool<Node> pool_;
  std::atomic<Node*> top_{nullptr};
};

using PopAllStack = BasicPopAllStack<false>;
using FixedPopAllStack = BasicPopAllStack<true>;

}  // namespace plumb::objects
