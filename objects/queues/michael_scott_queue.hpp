// SPDX-License-Identifier: MIT
// A queue without locks (Michael & Scott, PODC 1996, figure 1; Herlihy & Shavit, section 10.5).
//
// A list that begins with a node whose value has already been taken. An enqueue takes effect when
// it links its node behind the last one; `tail_` may lag behind by one node, and a thread that
// finds it lagging advances it before it continues. A dequeue takes effect when it moves `head_` to
// the next node, or, if there is none, when it read that link. Nodes are never reused while the
// queue lives, so the counters that the paper adds to its pointers against ABA are not needed.
#pragma once

#include <atomic>
#include <optional>

#include "../sets/node_pool.hpp"

namespace plumb::objects {

template <class T>
class MichaelScottQueue {
 public:
  void enq(T value) {
    Node* const node = pool_.make(value);
    while (true) {
      Node* last = tail_.load();
      Node* next = last->next.load();
      if (next != nullptr) {
        tail_.compare_exchange_strong(last, next);
      } else if (last->next.compare_exchange_weak(next, node)) {
        tail_.compare_exchange_strong(last, node);  // if it fails, another thread has helped
        return;
      }
    }
  }

  /// Returns: nothing if it is empty.
  std::optional<T> deq() {
    while (true) {
      Node* first = head_.load();
      Node* last = tail_.load();
      Node* const next = first->next.load();
      if (next == nullptr) return std::nullopt;
      // `tail_` must not fall behind `head_`. It was read later, so it is behind if they are equal.
      if (first == last) tail_.compare_exchange_strong(last, next);
      else if (head_.compare_exchange_weak(first, next)) return next->value;
    }
  }

 private:
  struct Node {
    explicit Node(T v) : value(v) {}
    const T value;
    std::atomic<Node*> next{nullptr};
    Node* made_before = nullptr;
  };

  NodePool<Node> pool_;
  std::atomic<Node*> head_{pool_.make(T())};
  std::atomic<Node*> tail_{head_.load()};
};

}  // namespace plumb::objects
