// SPDX-License-Identifier: MIT
// ConcurrentStack of .NET 4.0: last in, first out; a list whose head is changed by compare-and-swap
// (Treiber's stack). Several values are pushed or popped at once by one compare-and-swap, and
// because links never change, reading the head gives a snapshot of the whole list.
//
// Source: Line-Up (Burckhardt et al., PLDI 2010), Table 1.
//
// Verdict: linearizable.
#pragma once

#include <atomic>
#include <optional>
#include <vector>

#include "../sets/node_pool.hpp"

namespace plumb::objects {

class ConcurrentStack {
 public:
  void push(int value) { push_range({value}); }

  /// The last one will be on top. Requires: at least one value.
  void push_range(const std::vector<int>& values) {
    Node* const bottom = pool_.make(values.front(), nullptr);
    Node* top = bottom;
    for (std::size_t i = 1; i < values.size(); ++i) top = pool_.make(values[i], top);
    bottom->next = head_.load();
    while (!head_.compare_exchange_weak(bottom->next, top)) {}
  }

  std::optional<int> try_pop() {
    const std::vector<int> popped = try_pop_range(1);
    return popped.empty() ? std::nullopt : std::optional(popped.front());
  }

  /// Returns: the topmost `n`, or all if there are fewer.
  std::vector<int> try_pop_range(int n) {
    Node* head = head_.load();
    while (true) {
      std::vector<int> popped;
      Node* rest = head;
      for (; rest != nullptr && static_cast<int>(popped.size()) < n; rest = rest->next)
        popped.push_back(rest->value);
      if (head == nullptr || head_.compare_exchange_weak(head, rest)) return popped;
    }
  }

  std::optional<int> try_peek() const {
    const Node* const head = head_.load();
    return head == nullptr ? std::nullopt : std::optional(head->value);
  }

  void clear() { head_ = nullptr; }

  int count() const { return static_cast<int>(to_array().size()); }

  std::vector<int> to_array() const {
    std::vector<int> values;
    for (const Node* node = head_.load(); node != nullptr; node = node->next)
      values.push_back(node->value);
    return values;
  }

 private:
  struct Node {
    Node(int v, Node* n) : value(v), next(n) {}
    const int value;
    Node* next;
    Node* made_before = nullptr;
  };

  NodePool<Node> pool_;
  std::atomic<Node*> head_{nullptr};
};

}  // namespace plumb::objects
