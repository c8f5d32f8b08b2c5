// SPDX-License-Identifier: MIT
// A sorted list whose removals mark before they unlink (Heller et al., OPODIS 2005; Herlihy &
// Shavit, section 9.7).
//
// As in OptimisticSet an operation searches without locks, locks the two neighbours and validates;
// but a removed node carries a mark, so validation reads two nodes instead of walking again, and
// `contains` needs no lock at all. A successful removal takes effect when it sets the mark, not
// when it unlinks. `contains` = false may take effect before its last read: at the moment when a
// concurrent operation changed a part that it had passed.
#pragma once

#include <atomic>
#include <climits>
#include <mutex>

#include "node_pool.hpp"

namespace plumb::objects {

/// A set that does not validate is FaultySet.
template <bool validates>
class LazyList {
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

  /// Does `action` with both neighbours of the key locked.
  template <class Action>
  bool at(int key, Action action) {
    while (true) {
      Node *before = head_, *here = before->next;
      while (here->key < key) before = here, here = before->next;
      const std::scoped_lock locks(before->mutex, here->mutex);
      if (!validates || (!before->removed && !here->removed && before->next == here))
        return action(before, here);
    }
  }

  NodePool<Node> pool_;
  Node* const head_ = pool_.make(INT_MIN, pool_.make(INT_MAX, nullptr));
};

using LazySet = LazyList<true>;

}  // namespace plumb::objects
