// SPDX-License-Identifier: MIT
// LockFreeSet with one mistake: a node is removed by one compare-and-swap on the link that leads to
// it, without marking its own link before. An insert that is on that node links its own behind it,
// where it is unreachable.
//
// Source: Harris, A Pragmatic Implementation of Non-Blocking Linked-Lists, DISC 2001, figure 2,
// which explains it.
//
// Verdict: not linearizable. Smallest test: `pre insert(1); remove(1) |
// insert(2), contains(2)` (one preemption): insert returns true, contains false.
#pragma once

#include <atomic>
#include <climits>

#include "node_pool.hpp"

namespace plumb::objects {

class UnmarkedSet {
 public:
  bool insert(int key) {
    Node* node = nullptr;
    while (true) {
      Place at = find(key);
      if (at.here->key == key) return false;
      if (node == nullptr) node = pool_.make(key, at.here);
      node->next = at.here;
      if (at.before->next.compare_exchange_strong(at.here, node)) return true;
    }
  }

  bool remove(int key) {
    while (true) {
      Place at = find(key);
      if (at.here->key != key) return false;
      if (at.before->next.compare_exchange_strong(at.here, at.here->next.load())) return true;
    }
  }

  bool contains(int key) const { return find(key).here->key == key; }

 private:
  struct Node {
    Node(int k, Node* n) : key(k), next(n) {}
    const int key;
    std::atomic<Node*> next;
    Node* made_before = nullptr;
  };

  struct Place {
    Node *before, *here;
  };

  Place find(int key) const {
    Node *before = head_, *here = before->next.load();
    while (here->key < key) before = here, here = before->next.load();
    return {before, here};
  }

  NodePool<Node> pool_;
  Node* const head_ = pool_.make(INT_MIN, pool_.make(INT_MAX, nullptr));
};

}  // namespace plumb::objects
