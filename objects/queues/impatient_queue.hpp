// SPDX-License-Identifier: MIT
// Michael & Scott's queue, whose `deq` tries only once.
//
// The mistake of ImpatientQueue: if another thread has taken the value meanwhile, the
// compare-and-swap fails, and `deq` returns "empty", although there may be more values.
// MichaelScottQueue (in michael_scott_queue.hpp) retries.
//
// Source: NonblockingQueue::try_pop of HotSpot, JDK-8279294.
//
// Verdict: not linearizable. Smallest test: `pre enq(1), enq(2); deq | deq` (one preemption): one
// of them returns empty.
#pragma once

#include <atomic>
#include <optional>

#include "../sets/node_pool.hpp"

namespace plumb::objects {

class ImpatientQueue {
 public:
  void enq(int value) {
    Node* const node = pool_.make(value);
    while (true) {
      Node* last = tail_.load();
      Node* next = last->next.load();
      const bool linked = next == nullptr && last->next.compare_exchange_strong(next, node);
      tail_.compare_exchange_strong(last, linked ? node : next);
      if (linked) return;
    }
  }

  std::optional<int> deq() {
    Node* first = head_.load();
    Node* last = tail_.load();
    Node* const next = first->next.load();
    if (next == nullptr) return std::nullopt;
    if (first == last) tail_.compare_exchange_strong(last, next);
    if (!head_.compare_exchange_strong(first, next)) return std::nullopt;
    return next->value;
  }

 private:
  struct Node {
    explicit Node(int v) : value(v) {}
    const int value;
    std::atomic<Node*> next{nullptr};
    Node* made_before = nullptr;
  };

  NodePool<Node> pool_;
  std::atomic<Node*> head_{pool_.make(0)};
  std::atomic<Node*> tail_{head_.load()};
};

}  // namespace plumb::objects
