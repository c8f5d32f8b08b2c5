// SPDX-License-Identifier: MIT
// A sorted list that is searched without locks (Herlihy & Shavit, section 9.6).
//
// Search first, lock the two neighbours of the key, then validate: walk once more from the head and
// check that the first node is still in the list and still points to the second. If not, start
// again. While both locks are held nothing can change between the two, so an operation takes effect
// there.
#pragma once

#include <atomic>
#include <climits>
#include <mutex>

#include "node_pool.hpp"

namespace plumb::objects {

class OptimisticSet {
 public:
  bool insert(int key) {
    return at(key, [&](Node* before, Node* here) {
      if (here->key == key) return false;
      before->next = pool_.make(key, here);
      return true;
    });
  }

  bool remove(int key) {
    return at(key, [&](Node* before, Node* here) {
      if (here->key != key) return false;
      before->next = here->next.load();
      return true;
    });
  }

  bool contains(int key) {
    return at(key, [&](Node*, Node* here) { return here->key == key; });
  }

 private:
  struct Node {
    Node(int k, Node* n) : key(k), next(n) {}
    const int key;
    std::atomic<Node*> next;
    std::mutex mutex;
    Node* made_before = nullptr;
  };

  /// Does `action` with both neighbours of the key locked.
  template <class Action>
  bool at(int key, Action action) {
    while (true) {
      Node *before = head_, *here = before->next;
      while (here->key < key) before = here, here = before->next;
      const std::scoped_lock locks(before->mutex, here->mutex);
      if (valid(before, here)) return action(before, here);
    }
  }

  bool valid(const Node* before, const Node* here) const {
    const Node* node = head_;
    while (node->key < before->key) node = node->next;
    return node == before && before->next == here;
  }

  NodePool<Node> pool_;
  Node* const head_ = pool_.make(INT_MIN, pool_.make(INT_MAX, nullptr));
};

}  // namespace plumb::objects
