// SPDX-License-Identifier: MIT
//! --strategy dfs --preemptions 2 --start-points: holds, 230 executions
//! : holds
#include <atomic>

#include <plumb/explore.hpp>

class Queue {
 public:
  Queue() { head_ = tail_ = new Node{0}; }

  void enqueue(int value) {
    Node* const node = new Node{value};
    for (;;) {
      Node* tail = tail_.load();
      Node* next = tail->next.load();
      if (tail != tail_.load()) continue;
      if (next != nullptr) {
        tail_.compare_exchange_strong(tail, next);
      } else if (tail->next.compare_exchange_strong(next, node)) {
        tail_.compare_exchange_strong(tail, node);
        return;
      }
    }
  }

  int dequeue() {
    for (;;) {
      Node* head = head_.load();
      Node* tail = tail_.load();
      Node* const next = head->next.load();
      if (head != head_.load()) continue;
      if (head == tail) {
        if (next == nullptr) return -1;
        tail_.compare_exchange_strong(tail, next);
      } else {
        const int value = next->value;
        if (head_.compare_exchange_strong(head, next)) return value;
      }
    }
  }

 private:
  struct Node {
    int value;
    std::atomic<Node*> next{nullptr};
  };
  std::atomic<Node*> head_, tail_;
};

int main(int argc, char** argv) {
  return plumb::explore_main(argc, argv, [] {
    Queue queue;
    const auto work = [&queue] {
      queue.enqueue(1);
      queue.dequeue();
    };
    plumb::parallel(work, work);
  });
}
