// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>

class TreiberStack {
 public:
  void push(int value) {
    Node* const node = new Node{value, nullptr};
    Node* head = head_.load();
    do { node->next = head; } while (!head_.compare_exchange_strong(head, node));
  }

  int pop() {
    Node* head = head_.load();
    while (head != nullptr && !head_.compare_exchange_strong(head, head->next)) {}
    return head == nullptr ? -1 : head->value;
  }

 private:
  struct Node {
    int value;
    Node* next;
  };
  std::atomic<Node*> head_{nullptr};
};
