// SPDX-License-Identifier: MIT
// A relaxed queue: a list of which a `deq` takes one of the first k + 1 values, at random, so that
// threads contend less often. If it draws one that is taken, or another thread is faster, it takes
// the oldest.
//
// Nodes are never unlinked, only marked as taken; `deq` walks over the taken ones.
//
// The mistake of RandomDequeueQueue: it counts k steps from the oldest value over those that are
// left. Then the oldest one can be overtaken forever. FixedRandomDequeueQueue counts taken ones as
// well: this is the virtual window, which does not move before the oldest value is taken, so only
// the k nodes behind it can overtake it. (In figure 4 of Round-Up the window moves when all its
// values are taken; ours, like that of Afek et al., when the first one is.)
//
// Source: Round-Up (Zhang et al.), section II and Table IV, after Afek et al., OPODIS 2010.
//
// Verdict: FixedRandomDequeueQueue is k-quasi linearizable. RandomDequeueQueue with k >= 1 is not,
// even with one thread: smallest test, k = 1: `pre enq(1), enq(2), enq(3); deq, deq, deq` (no
// preemption): 2, 3, 1. It takes none that is more than k places from the head, so the relaxation
// `distance` accepts it; `strict` and `lateness` do not. With k = 0 both are linearizable; with k
// >= 1 neither is deterministic: `pre enq(1), enq(2); deq`: 1 or 2.
#pragma once

#include <atomic>
#include <cstddef>
#include <optional>

#include "../random_index.hpp"
#include "../sets/node_pool.hpp"

namespace plumb::objects {

template <unsigned kFactor, bool kFixed>
class BasicRandomDequeueQueue {
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
    for (std::size_t steps = random_index(kFactor + 1);; steps = 0) {
      Node* chosen = next_live(first_.load());
      if (chosen == nullptr) return std::nullopt;
      for (; steps > 0; --steps) {
        Node* const behind = chosen->next.load();
        Node* const next = kFixed ? behind : next_live(behind);
        if (next == nullptr) break;
        chosen = next;
      }
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

template <unsigned kFactor>
using RandomDequeueQueue = BasicRandomDequeueQueue<kFactor, false>;
template <unsigned kFactor>
using FixedRandomDequeueQueue = BasicRandomDequeueQueue<kFactor, true>;

}  // namespace plumb::objects
