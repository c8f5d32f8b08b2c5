// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <utility>

namespace plumb::objects {

/// Makes nodes and keeps them until it is destroyed itself: readers without locks may still read a
/// node that was removed. Requires: Node has a member `Node* made_before = nullptr`.
///
/// With LEAK_NODES it keeps nothing: as with garbage collection, making a node touches no shared
/// memory.
template <class Node>
class NodePool {
 public:
  NodePool() = default;
  NodePool(const NodePool&) = delete;
  NodePool& operator=(const NodePool&) = delete;
  ~NodePool() {
    for (Node* node = newest_.load(); node != nullptr;)
      delete std::exchange(node, node->made_before);
  }

  template <class... Args>
  Node* make(Args&&... args) {
    Node* node = new Node(std::forward<Args>(args)...);
#ifndef LEAK_NODES
    // Only the destructor follows these links, so there may be a gap for a moment.
    node->made_before = newest_.exchange(node, std::memory_order_acq_rel);
#endif
    return node;
  }

 private:
  std::atomic<Node*> newest_{nullptr};
};

}  // namespace plumb::objects
