// SPDX-License-Identifier: MIT
// A sorted list with a lock in every node (Herlihy & Shavit, section 9.5).
//
// A thread walks hand over hand: it takes the lock of the next node before it releases the one
// behind, so no thread overtakes it or unlinks the node that it is on. Every operation takes effect
// while it holds the locks of both neighbours of its key.
#pragma once

#include <climits>
#include <mutex>
#include <utility>

namespace plumb::objects {

class FineGrainedSet {
 public:
  FineGrainedSet() = default;
  FineGrainedSet(const FineGrainedSet&) = delete;
  FineGrainedSet& operator=(const FineGrainedSet&) = delete;
  ~FineGrainedSet() {
    for (Node* node = head_.next; node != &tail_;) delete std::exchange(node, node->next);
  }

  bool insert(int key) {
    const Place at = find(key);
    if (at.here->key == key) return false;
    at.before->next = new Node{key, at.here};
    return true;
  }

  bool remove(int key) {
    Place at = find(key);
    Node* const found = at.here;
    if (found->key != key) return false;
    at.before->next = found->next;
    // A thread that wants this lock must hold the one before it, which is ours: no thread waits for
    // it.
    at.lock_here.unlock();
    delete found;
    return true;
  }

  bool contains(int key) { return find(key).here->key == key; }

 private:
  struct Node {
    const int key;
    Node* next = nullptr;
    std::mutex mutex = {};
  };

  /// `before` is the last node with a smaller key, `here` its successor; both are locked.
  struct Place {
    Node *before, *here;
    std::unique_lock<std::mutex> lock_before, lock_here;
  };

  Place find(int key) {
    Node *before = &head_, *here;
    std::unique_lock lock_before(before->mutex);
    here = before->next;
    std::unique_lock lock_here(here->mutex);
    while (here->key < key) {
      before = here;
      lock_before = std::move(lock_here);
      here = before->next;
      lock_here = std::unique_lock(here->mutex);
    }
    return {before, here, std::move(lock_before), std::move(lock_here)};
  }

  Node tail_{INT_MAX};
  Node head_{INT_MIN, &tail_};
};

}  // namespace plumb::objects
