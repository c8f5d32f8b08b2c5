// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <mutex>
#include <new>

namespace plumb::objects {

/// The number of a node and a counter in one word, so that both change by one compare-and-swap.
struct alignas(8) CountedLink {
  bool operator==(const CountedLink&) const = default;
  std::uint32_t node = 0;  // 0: none
  std::uint32_t count = 0;
};

/// Nodes with numbers from 1. Freed ones are reused, the one freed first before the others: after a
/// while the same number means another node. They live as long as this pool, so a late read of one
/// is no use after free.
template <class Node, std::uint32_t kNodes = 64>
class RecycledNodes {
 public:
  /// Throws: std::bad_alloc if all are in use.
  std::uint32_t get() {
    const std::lock_guard lock(mutex_);
    if (free_.empty()) {
      if (used_ == kNodes) throw std::bad_alloc();
      return ++used_;
    }
    const std::uint32_t node = free_.front();
    free_.pop_front();
    return node;
  }

  void put(std::uint32_t node) {
    const std::lock_guard lock(mutex_);
    free_.push_back(node);
  }

  Node& operator[](std::uint32_t node) { return nodes_[node - 1]; }

 private:
  std::mutex mutex_;
  std::uint32_t used_ = 0;
  std::deque<std::uint32_t> free_;
  std::array<Node, kNodes> nodes_;
};

}  // namespace plumb::objects
