// SPDX-License-Identifier: MIT
// A relaxed queue: a `deq` takes one of the two oldest values, at random, so that threads get into
// each other's way less often.
//
// Nodes are never unlinked, only marked as taken; `deq` walks over the taken ones. If the queue has
// one value it takes that.
//
// Source: Round-Up (Zhang et al.), section II, after Afek et al., OPODIS 2010.
//
// Verdict: not deterministic, even with one thread. Smallest test: `pre enq(1), enq(2); deq` (no
// preemption): 1 or 2.
#pragma once

#include <atomic>
#include <cstdlib>
#include <optional>

#include "../sets/node_pool.hpp"

namespace plumb::objects {

class RandomDequeueQueue {
 public:
  void enq(int value) {
    Node* const node = pool_.make(value);
    std::atomic<Node*>* link = &first_;
    Node* next = nullptr;
    while (!link->compare_exchange_strong(next, node)) {
      link = &next->next;
      next = nullptr;
    }
  }

  /// Returns: nothing if it is empty.
  std::optional<int> deq() {
    while (true) {
      Node* const oldest = next_live(first_.load());
      if (oldest == nullptr) return std::nullopt;
      Node* const second = next_live(oldest->next.load());
      Node* const chosen = second != nullptr && std::rand() % 2 == 1 ? second : oldest;
      if (!chosen->taken.exchange(true)) return chosen->value;
    }
  }

 private:
  struct Node {
    explicit Node(int v) : value(v) {}
    const int value;
    std::atomic<bool> taken{false};
    std::atomic<Node*> next{nullptr};
    Node* made_before = nullptr;
  };

  static Node* next_live(Node* node) {
    while (node != nullptr && node->taken.load()) node = node->next.load();
    return node;
  }

  NodePool<Node> pool_;
  std::atomic<Node*> first_{nullptr};
};

}  // namespace plumb::objects
