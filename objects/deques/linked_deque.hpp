// SPDX-License-Identifier: MIT
// A deque without locks: a list of nodes whose values are claimed by compare-and-swap; empty nodes
// stay in the list. After java.util.concurrent.ConcurrentLinkedDeque, without its unlinking.
//
// The mistake of LinkedDeque: `poll_first` walks to the first node that has a value and claims it.
// Between the two steps another thread may add a value in front, so the claimed one is no longer
// the first. `poll_last` likewise. FixedLinkedDeque is a deque with a lock.
//
// Source: JDK-8256833; Lincheck's README.
//
// Verdict: LinkedDeque is not linearizable, FixedLinkedDeque is. Smallest test:
// `pre add_last(1); poll_first | add_first(2), peek_last` (one preemption): 1 and 1.
#pragma once

#include <atomic>
#include <climits>
#include <deque>
#include <mutex>
#include <optional>

#include "../sets/node_pool.hpp"

namespace plumb::objects {

class LinkedDeque {
 public:
  void add_first(int value) {
    Node* const node = pool_.make(value);
    Node* first = first_.load();
    do { node->next = first; } while (!first_.compare_exchange_strong(first, node));
  }

  void add_last(int value) {
    Node* const node = pool_.make(value);
    std::atomic<Node*>* link = &first_;
    Node* next = nullptr;
    while (!link->compare_exchange_strong(next, node)) {
      link = &next->next;
      next = nullptr;
    }
  }

  /// Returns: nothing if it is empty.
  std::optional<int> poll_first() {
    for (Node* node = first_.load(); node != nullptr; node = node->next.load())
      if (const std::optional<int> value = claim(*node)) return value;
    return std::nullopt;
  }

  std::optional<int> poll_last() {
    while (Node* const last = last_with_value())
      if (const std::optional<int> value = claim(*last)) return value;
    return std::nullopt;
  }

  std::optional<int> peek_last() const {
    std::optional<int> last;
    for (const Node* node = first_.load(); node != nullptr; node = node->next.load())
      if (const int value = node->value.load(); value != kClaimed) last = value;
    return last;
  }

 private:
  static constexpr int kClaimed = INT_MIN;

  struct Node {
    explicit Node(int v) : value(v) {}
    std::atomic<int> value;
    std::atomic<Node*> next{nullptr};
    Node* made_before = nullptr;
  };

  static std::optional<int> claim(Node& node) {
    int value = node.value.load();
    if (value == kClaimed || !node.value.compare_exchange_strong(value, kClaimed))
      return std::nullopt;
    return value;
  }

  Node* last_with_value() const {
    Node* last = nullptr;
    for (Node* node = first_.load(); node != nullptr; node = node->next.load())
      if (node->value.load() != kClaimed) last = node;
    return last;
  }

  NodePool<Node> pool_;
  std::atomic<Node*> first_{nullptr};
};

class FixedLinkedDeque {
 public:
  void add_first(int value) {
    const std::lock_guard lock(mutex_);
    values_.push_front(value);
  }

  void add_last(int value) {
    const std::lock_guard lock(mutex_);
    values_.push_back(value);
  }

  std::optional<int> poll_first() {
    const std::lock_guard lock(mutex_);
    if (values_.empty()) return std::nullopt;
    const int value = values_.front();
    values_.pop_front();
    return value;
  }

  std::optional<int> poll_last() {
    const std::lock_guard lock(mutex_);
    if (values_.empty()) return std::nullopt;
    const int value = values_.back();
    values_.pop_back();
    return value;
  }

  std::optional<int> peek_last() const {
    const std::lock_guard lock(mutex_);
    return values_.empty() ? std::nullopt : std::optional(values_.back());
  }

 private:
  mutable std::mutex mutex_;
  std::deque<int> values_;
};

}  // namespace plumb::objects
