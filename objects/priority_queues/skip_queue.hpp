// SPDX-License-Identifier: MIT
// A priority queue: a sorted list where `remove_min` walks from the smallest value to the first one
// that is not taken, and takes it. After Lotan & Shavit (IPDPS 2000), whose list is a skip list;
// the search does not matter here, so this one has a single level, and taken values stay in it.
//
// The mistake of SkipQueue, which its authors knew: while `remove_min` walks, a smaller value may
// be added behind it and a greater one ahead of it. It returns the latter, although the former was
// added first. FixedSkipQueue is a set with a lock.
//
// Source: Herlihy & Shavit, The Art of Multiprocessor Programming, section 15.5.
//
// Verdict: SkipQueue is not linearizable (it is quiescently consistent), FixedSkipQueue is.
// Smallest test: `pre add(2); remove_min | remove_min, add(1), add(3)` (one preemption): 3,
// although 1 is present.
#pragma once

#include <atomic>
#include <climits>
#include <mutex>
#include <optional>
#include <set>

#include "../sets/node_pool.hpp"

namespace plumb::objects {

class SkipQueue {
 public:
  void add(int value) {
    Node* const node = pool_.make(value);
    Node* before = head_;
    while (true) {
      Node* next = before->next.load();
      if (next != nullptr && next->value < value) {
        before = next;
      } else {
        node->next = next;
        if (before->next.compare_exchange_strong(next, node)) return;
      }
    }
  }

  /// Returns: nothing if it is empty.
  std::optional<int> remove_min() {
    for (Node* node = head_->next.load(); node != nullptr; node = node->next.load())
      if (!node->taken.load() && !node->taken.exchange(true)) return node->value;
    return std::nullopt;
  }

 private:
  struct Node {
    explicit Node(int v) : value(v) {}
    const int value;
    std::atomic<bool> taken{false};
    std::atomic<Node*> next{nullptr};
    Node* made_before = nullptr;
  };

  NodePool<Node> pool_;
  Node* const head_ = pool_.make(INT_MIN);
};

class FixedSkipQueue {
 public:
  void add(int value) {
    const std::lock_guard lock(mutex_);
    values_.insert(value);
  }

  std::optional<int> remove_min() {
    const std::lock_guard lock(mutex_);
    if (values_.empty()) return std::nullopt;
    const int value = *values_.begin();
    values_.erase(values_.begin());
    return value;
  }

 private:
  std::mutex mutex_;
  std::multiset<int> values_;
};

}  // namespace plumb::objects
