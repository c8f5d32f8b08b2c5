// SPDX-License-Identifier: MIT
// Michael & Scott's queue (PODC 1996, figure 1) as in the paper: nodes are reused, and every link
// carries a counter that changes with it, so that a compare-and-swap distinguishes "unchanged" from
// "changed back".
//
// Two mistakes. UncountedQueue has no counters: an `enq` that is delayed after it has read the end
// of the list links its node behind one that was taken and has since become the end of another list
// (ABA). ForgetfulQueue counts, but a reused node begins at 0: its link, empty and with counter 0,
// is again what the delayed thread has read. RecyclingQueue keeps the counter.
//
// Source: Michael & Scott, Technical Report 599, Rochester 1995; boostorg/lockfree #59 (1.71-1.73).
//
// Verdict: RecyclingQueue is linearizable, the others are not. Smallest tests (two preemptions):
// `enq(1), deq | enq(2), deq, enq(3)`: the deq of the first thread returns empty; `enq(1), enq(4) |
// enq(2), deq, enq(3); post deq, deq, deq`: 1 comes last.
#pragma once

#include <atomic>
#include <optional>

#include "../recycled_nodes.hpp"

namespace plumb::objects {

enum class LinkCounters { none, forgotten, kept };

template <LinkCounters kCounters>
class BasicRecyclingQueue {
 public:
  BasicRecyclingQueue() {
    head_ = CountedLink{nodes_.get(), 0};
    tail_ = head_.load();
  }

  void enq(int value) {
    const std::uint32_t node = nodes_.get();
    nodes_[node].value = value;
    const std::uint32_t count = nodes_[node].next.load().count;
    nodes_[node].next = CountedLink{0, kCounters == LinkCounters::kept ? count + 1 : 0};
    while (true) {
      CountedLink tail = tail_.load();
      CountedLink next = nodes_[tail.node].next.load();
      if (tail != tail_.load()) continue;
      if (next.node != 0) {
        tail_.compare_exchange_strong(tail, after(tail, next.node));
      } else if (nodes_[tail.node].next.compare_exchange_strong(next, after(next, node))) {
        tail_.compare_exchange_strong(tail, after(tail, node));
        return;
      }
    }
  }

  /// Returns: nothing if it is empty.
  std::optional<int> deq() {
    while (true) {
      CountedLink head = head_.load();
      CountedLink tail = tail_.load();
      const CountedLink next = nodes_[head.node].next.load();
      if (head != head_.load()) continue;
      if (head.node == tail.node) {
        if (next.node == 0) return std::nullopt;
        tail_.compare_exchange_strong(tail, after(tail, next.node));
      } else if (next.node != 0) {
        const int value = nodes_[next.node].value.load();
        if (!head_.compare_exchange_strong(head, after(head, next.node))) continue;
        nodes_.put(head.node);
        return value;
      }
    }
  }

 private:
  struct Node {
    std::atomic<int> value{0};
    std::atomic<CountedLink> next{CountedLink{}};
  };

  /// The successor of `link` in the same place: the next counter.
  static CountedLink after(CountedLink link, std::uint32_t node) {
    return {node, kCounters == LinkCounters::none ? 0 : link.count + 1};
  }

  RecycledNodes<Node> nodes_;
  std::atomic<CountedLink> head_, tail_;
};

using UncountedQueue = BasicRecyclingQueue<LinkCounters::none>;
using ForgetfulQueue = BasicRecyclingQueue<LinkCounters::forgotten>;
using RecyclingQueue = BasicRecyclingQueue<LinkCounters::kept>;

}  // namespace plumb::objects
