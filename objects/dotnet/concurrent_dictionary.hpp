// SPDX-License-Identifier: MIT
// ConcurrentDictionary of .NET 4.0: a hash table from int to int.
//
// Every bucket is a chain of nodes; a lock guards several buckets. A writer holds the lock of its
// bucket; an operation on the whole table holds all of them; a lookup holds none. New nodes come
// first in their chain, and a removed node keeps its link, so a reader on it still reaches all
// nodes behind it.
//
// Source: Line-Up (Burckhardt et al., PLDI 2010), Table 1.
//
// Verdict: linearizable.
#pragma once

#include <array>
#include <atomic>
#include <mutex>
#include <optional>
#include <stdexcept>

#include "../sets/node_pool.hpp"

namespace plumb::objects {

class ConcurrentDictionary {
 public:
  /// Returns: false if the key is already present.
  bool try_add(int key, int value) {
    const std::lock_guard lock(lock_of(key));
    if (find(key) != nullptr) return false;
    insert(key, value);
    return true;
  }

  /// Returns: its value, or nothing if the key is absent.
  std::optional<int> try_remove(int key) {
    const std::lock_guard lock(lock_of(key));
    std::atomic<Node*>* link = &bucket_of(key);
    while (Node* const node = link->load()) {
      if (node->key == key) {
        *link = node->next.load();
        return node->value.load();
      }
      link = &node->next;
    }
    return std::nullopt;
  }

  /// Replaces the value if it is `comparison`. Returns: whether it was.
  bool try_update(int key, int value, int comparison) {
    const std::lock_guard lock(lock_of(key));
    Node* const node = find(key);
    if (node == nullptr || node->value.load() != comparison) return false;
    node->value = value;
    return true;
  }

  std::optional<int> try_get(int key) const {
    const Node* const node = find(key);
    return node == nullptr ? std::nullopt : std::optional(node->value.load());
  }

  bool contains_key(int key) const { return find(key) != nullptr; }

  /// Throws: std::out_of_range if the key is absent.
  int get(int key) const {
    const std::optional<int> value = try_get(key);
    if (!value) throw std::out_of_range("the key is not there");
    return *value;
  }

  void set(int key, int value) {
    const std::lock_guard lock(lock_of(key));
    if (Node* const node = find(key)) node->value = value;
    else insert(key, value);
  }

  int count() const {
    const AllLocks locks(locks_);
    int n = 0;
    for (const auto& bucket : buckets_)
      for (const Node* node = bucket.load(); node != nullptr; node = node->next.load()) ++n;
    return n;
  }

  bool is_empty() const { return count() == 0; }

  void clear() {
    const AllLocks locks(locks_);
    for (auto& bucket : buckets_) bucket = nullptr;
  }

 private:
  static constexpr unsigned kBuckets = 6, kLocks = 3;
  using Locks = std::array<std::mutex, kLocks>;

  class AllLocks {
   public:
    explicit AllLocks(Locks& locks) : locks_(locks) {
      for (std::mutex& mutex : locks_) mutex.lock();
    }
    AllLocks(const AllLocks&) = delete;
    AllLocks& operator=(const AllLocks&) = delete;
    ~AllLocks() {
      for (std::mutex& mutex : locks_) mutex.unlock();
    }

   private:
    Locks& locks_;
  };

  struct Node {
    Node(int k, int v, Node* n) : key(k), value(v), next(n) {}
    const int key;
    std::atomic<int> value;
    std::atomic<Node*> next;
    Node* made_before = nullptr;
  };

  static unsigned bucket_number(int key) { return static_cast<unsigned>(key) % kBuckets; }
  std::atomic<Node*>& bucket_of(int key) { return buckets_[bucket_number(key)]; }
  std::mutex& lock_of(int key) { return locks_[bucket_number(key) % kLocks]; }

  Node* find(int key) const {
    Node* node = buckets_[bucket_number(key)].load();
    while (node != nullptr && node->key != key) node = node->next.load();
    return node;
  }

  void insert(int key, int value) {
    std::atomic<Node*>& bucket = bucket_of(key);
    bucket = pool_.make(key, value, bucket.load());
  }

  mutable Locks locks_;
  std::array<std::atomic<Node*>, kBuckets> buckets_{};
  NodePool<Node> pool_;
};

}  // namespace plumb::objects
