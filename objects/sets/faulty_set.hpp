// SPDX-License-Identifier: MIT
// LazySet with one mistake: between the search and the locks the world may change, and nobody looks
// again. An insert may then hang its node onto one that has just been removed, or bypass one that
// has just been inserted: it returns true and its key, or another one, is lost. Two removals of the
// same node may both return true.
//
// NOT linearizable.
#pragma once

#include <atomic>
#include <climits>
#include <mutex>

#include "node_pool.hpp"

namespace plumb::objects {

class FaultySet {
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
      here->removed = true;
      before->next = here->next.load();
      return true;
    });
  }

  bool contains(int key) const {
    const Node* node = head_;
    while (node->key < key) node = node->next;
    return node->key == key && !node->removed;
  }

 private:
  struct Node {
    Node(int k, Node* n) : key(k), next(n) {}
    const int key;
    std::atomic<Node*> next;
    std::atomic<bool> removed{false};
    std::mutex mutex;
    Node* made_before = nullptr;
  };

  template <class Action>
  bool at(int key, Action action) {
    Node *before = head_, *here = before->next;
    while (here->key < key) before = here, here = before->next;
    const std::scoped_lock locks(before->mutex, here->mutex);
    return action(before, here);  // the mistake: LazySet validates here, and tries again
  }

  NodePool<Node> pool_;
  Node* const head_ = pool_.make(INT_MIN, pool_.make(INT_MAX, nullptr));
};

}  // namespace plumb::objects
