// SPDX-License-Identifier: MIT
// Nodes that were popped are pushed again: a compare-and-swap succeeds on a head that was away in
// between (ABA), and what it installs is no longer in the stack.
//! : assertion
#include <atomic>
#include <cassert>

#include <plumb/explore.hpp>

class Stack {
 public:
  struct Node {
    int value;
    std::atomic<Node*> next{nullptr};
  };

  void push(Node* node) {
    Node* head = head_.load();
    do { node->next.store(head); } while (!head_.compare_exchange_strong(head, node));
  }

  Node* pop() {
    Node* head = head_.load();
    while (head != nullptr && !head_.compare_exchange_strong(head, head->next.load())) {}
    return head;
  }

 private:
  std::atomic<Node*> head_{nullptr};
};

int main(int argc, char** argv) {
  return plumb::explore_main(argc, argv, [] {
    Stack stack;
    Stack::Node a{1}, b{2};
    stack.push(&b);
    stack.push(&a);
    Stack::Node* first = nullptr;
    Stack::Node* second = nullptr;
    plumb::parallel([&] { first = stack.pop(); },
                    [&] {
                      Stack::Node* const top = stack.pop();
                      second = stack.pop();
                      if (top != nullptr) stack.push(top);
                    });
    // Whatever is left must not be what a thread holds.
    for (Stack::Node* left = stack.pop(); left != nullptr; left = stack.pop()) {
      assert(left != first && left != second);
    }
  });
}
