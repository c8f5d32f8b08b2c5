// SPDX-License-Identifier: MIT
// A Treiber stack that frees what it pops: plumb test examples/explore/stack.cpp
#include <atomic>

#include <plumb/explore.hpp>

class Stack {
 public:
  void push(int value) {
    Node* node = new Node{value, head_.load()};
    while (!head_.compare_exchange_weak(node->next, node)) {}
  }

  int pop() {
    Node* node = head_.load();
    while (node != nullptr && !head_.compare_exchange_weak(node, node->next)) {}
    if (node == nullptr) return -1;
    const int value = node->value;
    delete node;
    return value;
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
