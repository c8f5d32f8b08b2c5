// SPDX-License-Identifier: MIT
//! : race
//! --ignore race: use-after-free
//! --ignore race --strategy dpor: use-after-free
//! --schedule-at all --ignore race --preemptions 2: use-after-free
#include <atomic>

#include <plumb/explore.hpp>

class Stack {
 public:
  void push(int value) {
    Node* const node = new Node{value, head_.load()};
    while (!head_.compare_exchange_strong(node->next, node)) {}
  }

  void pop() {
    Node* head = head_.load();
    while (head != nullptr && !head_.compare_exchange_strong(head, head->next)) {}
    delete head;
  }

 private:
  struct Node {
    int value;
    Node* next;
  };
  std::atomic<Node*> head_{nullptr};
};

int main(int argc, char** argv) {
  return plumb::explore_main(argc, argv, [] {
    Stack stack;
    const auto work = [&stack] {
      stack.push(1);
      stack.pop();
    };
    plumb::parallel(work, work);
  });
}
