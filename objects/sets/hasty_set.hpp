// SPDX-License-Identifier: MIT
// FineGrainedSet with one mistake: a thread that walks along the list releases the lock of a node
// before it takes that of the next one. In between the next one may be removed, and changes to it
// are lost. Two removals of neighbours: one unlinks the first, the other unlinks the second from
// the first, and it stays in the list.
//
// Source: a classic of lectures; Herlihy & Shavit, The Art of Multiprocessor Programming, section
// 9.5, explains it.
//
// Verdict: not linearizable. Smallest test: `pre insert(1), insert(2);
// remove(1) | remove(2), contains(2)` (one preemption): true, true.
#pragma once

#include <climits>
#include <mutex>
#include <utility>

#include "node_pool.hpp"

namespace plumb::objects {

class HastySet {
 public:
  bool insert(int key) {
    const Place at = find(key);
    if (at.here->key == key) return false;
    at.before->next = pool_.make(key, at.here);
    return true;
  }

  bool remove(int key) {
    const Place at = find(key);
    if (at.here->key != key) return false;
    at.before->next = at.here->next;
    return true;
  }

  bool contains(int key) { return find(key).here->key == key; }

 private:
  struct Node {
    Node(int k, Node* n) : key(k), next(n) {}
    const int key;
    Node* next;
    std::mutex mutex;
    Node* made_before = nullptr;
  };

  struct Place {
    Node *before, *here;
    std::unique_lock<std::mutex> lock_before, lock_here;
  };

  Place find(int key) {
    Node* before = head_;
    std::unique_lock lock_before(before->mutex);
    Node* here = before->next;
    while (here->key < key) {
      lock_before.unlock();
      before = here;
      lock_before = std::unique_lock(before->mutex);
      here = before->next;
    }
    std::unique_lock lock_here(here->mutex);
    return {before, here, std::move(lock_before), std::move(lock_here)};
  }

  NodePool<Node> pool_;
  Node* const head_ = pool_.make(INT_MIN, pool_.make(INT_MAX, nullptr));
};

}  // namespace plumb::objects
