// SPDX-License-Identifier: MIT
// A sorted list without locks (Harris, DISC 2001; Michael, SPAA 2002; Herlihy & Shavit,
// section 9.8).
//
// The mark of a removed node is the lowest bit of its own link, so that "not removed" and "the
// successor is unchanged" are one word and change by one compare-and-swap. A successful removal
// takes effect when it sets that bit; any thread that passes by may do the unlinking. A failed
// operation may take effect before its last read, as in LazySet.
#pragma once

#include <atomic>
#include <climits>
#include <cstdint>

#include "node_pool.hpp"

namespace plumb::objects {

class LockFreeSet {
 public:
  bool insert(int key) {
    Node* node = nullptr;
    while (true) {
      const Place at = find(key);
      if (at.here->key == key) return false;
      if (node == nullptr) node = pool_.make(key, at.here);
      node->link = to_link(at.here);
      Link expected = to_link(at.here);
      if (at.before->link.compare_exchange_strong(expected, to_link(node))) return true;
    }
  }

  bool remove(int key) {
    while (true) {
      const Place at = find(key);
      if (at.here->key != key) return false;
      const Link next = at.here->link.load() & ~kRemoved;
      Link expected = next;
      if (!at.here->link.compare_exchange_strong(expected, next | kRemoved)) continue;
      expected = to_link(at.here);
      at.before->link.compare_exchange_strong(expected, next);  // if it fails, `find` will help
      return true;
    }
  }

  bool contains(int key) const {
    const Node* node = head_;
    while (node->key < key) node = to_node(node->link.load());
    return node->key == key && (node->link.load() & kRemoved) == 0;
  }

 private:
  using Link = std::uintptr_t;  // a Node*, and in the lowest bit whether the OWNER is removed
  static constexpr Link kRemoved = 1;

  struct Node {
    Node(int k, Node* n) : key(k), link(to_link(n)) {}
    const int key;
    std::atomic<Link> link;
    Node* made_before = nullptr;
  };

  struct Place {
    Node *before, *here;
  };

  static Link to_link(const Node* node) { return reinterpret_cast<Link>(node); }
  static Node* to_node(Link link) { return reinterpret_cast<Node*>(link & ~kRemoved); }

  /// The neighbours of the key; unlinks every removed node on the way.
  Place find(int key) {
  again:
    Node *before = head_, *here = to_node(before->link.load());
    while (true) {
      Link link = here->link.load();
      while (link & kRemoved) {
        Link expected = to_link(here);
        if (!before->link.compare_exchange_strong(expected, link & ~kRemoved)) goto again;
        here = to_node(link);
        link = here->link.load();
      }
      if (here->key >= key) return {before, here};
      before = here;
      here = to_node(link);
    }
  }

  NodePool<Node> pool_;
  Node* const head_ = pool_.make(INT_MIN, pool_.make(INT_MAX, nullptr));
};

}  // namespace plumb::objects
