// SPDX-License-Identifier: MIT
// A queue for one thread: a list with a dummy node in front, and no synchronisation.
//
// With several threads it has data races, and undefined behaviour. Observable effects: two `enq`
// link their nodes behind the same one, two `deq` take the same one. One `enq` and one `deq` do not
// conflict if the queue is not empty. LockedSingleListQueue takes a lock.
//
// Source: Round-Up (Zhang et al.), Table V ("sl-queue"); the Scal benchmarks.
//
// Verdict: SingleListQueue is not linearizable, and has data races; LockedSingleListQueue is
// linearizable. Smallest tests: `enq(1) | enq(2); post deq, deq` (one preemption): one value is
// lost. `pre enq(1); deq | deq` (one preemption): both take it.
#pragma once

#include <mutex>
#include <optional>

#include "../sets/node_pool.hpp"

namespace plumb::objects {

class SingleListQueue {
 public:
  void enq(int value) {
    Node* const node = pool_.make(value);
    tail_->next = node;
    tail_ = node;
  }

  /// Returns: nothing if it is empty.
  std::optional<int> deq() {
    Node* const next = head_->next;
    if (next == nullptr) return std::nullopt;
    head_ = next;
    return next->value;
  }

 private:
  struct Node {
    explicit Node(int v) : value(v) {}
    const int value;
    Node* next = nullptr;
    Node* made_before = nullptr;
  };

  NodePool<Node> pool_;
  Node* head_ = pool_.make(0);
  Node* tail_ = head_;
};

class LockedSingleListQueue {
 public:
  void enq(int value) {
    const std::lock_guard lock(mutex_);
    queue_.enq(value);
  }

  std::optional<int> deq() {
    const std::lock_guard lock(mutex_);
    return queue_.deq();
  }

 private:
  std::mutex mutex_;
  SingleListQueue queue_;
};

}  // namespace plumb::objects
