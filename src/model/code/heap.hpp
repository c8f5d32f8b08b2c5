// SPDX-License-Identifier: MIT
// The nodes of a state: which can still be reached, and what they are called.
#pragma once

#include <cstdint>
#include <vector>

#include "model/code/sites.hpp"

namespace plumb::model {

/// Not thread-safe: it has scratch memory.
class Heap {
 public:
  explicit Heap(const Program& program);

  bool any() const { return !program_.pools.empty(); }
  /// Frees the nodes that cannot be reached, unless the object frees them itself.
  void collect(Cell* state);
  /// Collects, and numbers the nodes in the order in which a walk from the shared variables and
  /// then from the processes meets them.
  void renumber(Cell* state);

  /// What a process is, whatever number it has and its own nodes have: its fields, and the nodes
  /// that only processes can reach. Requires: number_shared() was called for this state.
  void number_shared(const Cell* state);
  void describe(const Cell* state, std::uint32_t process, std::vector<Cell>& out);

 private:
  Cell& number(std::uint32_t pool, Cell node) {
    return numbers_[begins_[pool] + static_cast<std::size_t>(node) - 1];
  }
  void start();
  void meet(const Cell* state, const Site& site);
  void walk(const Cell* state);
  void number_all(const Cell* state);
  void clear(Cell* state, std::uint32_t pool, Cell node) const;

  const Program& program_;
  Sites pointers_;
  std::vector<std::size_t> begins_;  // by pool, in numbers_
  std::vector<Cell> numbers_;        // new number of each node; 0: not met
  std::vector<Cell> met_;            // by pool: how many
  std::vector<std::pair<std::uint32_t, Cell>> queue_;
  std::size_t done_ = 0;  // of the queue
  std::vector<Cell> scratch_;
};

}  // namespace plumb::model
