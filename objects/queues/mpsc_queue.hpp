// SPDX-License-Identifier: MIT
// D. Vyukov's queue for many producers and one consumer: a list whose tail is exchanged for the new
// node, which is then linked behind the old one.
//
// The mistake of MpscQueue: in between the list has a gap, and the consumer takes it for the end,
// although other producers may have added behind it and returned. FixedMpscQueue reads the tail,
// and waits for the link if there are more nodes.
//
// Source: 1024cores.net; agrona #216, caffeine #9, romange/helio #215.
//
// Verdict: MpscQueue is not linearizable, FixedMpscQueue is. Smallest test: `enq(1) | enq(2), deq`
// (one preemption): deq returns empty.
#pragma once

#include <atomic>
#include <optional>
#include <thread>

#include "../sets/node_pool.hpp"

namespace plumb::objects {

template <bool kFixed>
class BasicMpscQueue {
 public:
  void enq(int value) {
    Node* const node = pool_.make(value);
    tail_.exchange(node)->next = node;
  }

  /// For one thread only. Returns: nothing if it is empty.
  std::optional<int> deq() {
    while (true) {
      if (Node* const next = head_->next.load()) {
        head_ = next;
        return next->value;
      }
      if (!kFixed || tail_.load() == head_) return std::nullopt;
      std::this_thread::yield();
    }
  }

 private:
  struct Node {
    explicit Node(int v) : value(v) {}
    const int value;
    std::atomic<Node*> next{nullptr};
    Node* made_before = nullptr;
  };

  NodePool<Node> pool_;
  Node* head_ = pool_.make(0);  // its value was taken
  std::atomic<Node*> tail_{head_};
};

using MpscQueue = BasicMpscQueue<false>;
using FixedMpscQueue = BasicMpscQueue<true>;

}  // namespace plumb::objects
