// SPDX-License-Identifier: MIT
// R. K. Treiber's stack (1986). A retry uses what the failed compare-and-swap has read.
//
// A `pop` may still be reading the node that another thread has popped, so nodes cannot simply be
// freed: with kFrees they are, which is a use after free, and a data race. Without it they leak.
#pragma once

#include <atomic>

namespace plumb::objects {

template <bool kFrees = false>
class TreiberStack {
 public:
  void push(int value) {
    Node* const node = new Node{value, nullptr};
    Node* head = head_.load();
    do { node->next = head; } while (!head_.compare_exchange_strong(head, node));
  }

  // -1: it is empty.
  int pop() {
    Node* head = head_.load();
    while (head != nullptr && !head_.compare_exchange_strong(head, head->next)) {}
    if (head == nullptr) return -1;
    const int value = head->value;
    if constexpr (kFrees) delete head;
    return value;
  }

 private:
  struct Node {
    int value;
    Node* next;
  };
  std::atomic<Node*> head_{nullptr};
};

}  // namespace plumb::objects
