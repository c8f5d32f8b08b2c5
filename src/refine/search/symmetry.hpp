// SPDX-License-Identifier: MIT
// Processes that cannot be distinguished are put into a fixed order.
//
// Section 4.2 of the paper (see monitor.cpp): renaming the processes of a class in the whole pair,
// the state of the implementation and the set of the specification, gives a pair with the same
// future. So one pair of each class of renamings is enough. The paper tries all n! permutations and
// takes the least pair; here the processes are sorted by what they are (their block of the packed
// state) and then by what the set says of them (Monitor::signatures), which costs a sort. Where two
// processes tie in both, either order is taken: two pairs that could have been merged are then both
// explored, which is sound.
//
// Pointers are numbers of nodes, and these depend on the order of the processes; so with nodes a
// process is compared by Heap::describe, and the nodes are numbered again afterwards.
//
// A class is symmetric if no operation that it calls uses `self` as a number: its processes then
// run the same code. Where they keep their names in variables, a process is compared by what these
// say of it (model/code/process_names.hpp), and they are renamed afterwards.
#pragma once

#include <cstdint>
#include <vector>

#include "model/code/heap.hpp"
#include "model/code/process_names.hpp"
#include "refine/question/monitor.hpp"

namespace plumb::refine {

/// Not thread-safe: it has scratch memory.
class Symmetry {
 public:
  explicit Symmetry(const model::Program& program);

  bool any() const { return !groups_.empty(); }
  /// Sorts a packed state, and renames the processes in the set likewise; a null monitor: there is
  /// none. Returns: false if nothing changed.
  bool apply(std::uint64_t* words, Monitor* monitor, SetId& set);
  /// Of the last apply(): new process i was the old one order()[i].
  const std::vector<std::uint8_t>& order() const { return order_; }

 private:
  struct Group {
    std::uint32_t first, count;
    std::uint32_t words;  // of a block
  };
  bool sort(const Group& group, std::span<const std::uint32_t> signatures);

  const model::Program& program_;
  std::vector<Group> groups_;  // of interchangeable processes
  std::vector<std::uint8_t> order_;
  /// The control point is the lowest bits of a block. Here it is the highest, so that processes are
  /// sorted by where they are first: sets are then renamed less often, and half as many come up.
  int point_bits_ = 0;
  std::vector<std::uint64_t> blocks_;
  model::Heap heap_;
  model::ProcessNames names_;
  const bool described_;  // there are nodes, or names of processes: a block does not say all
  std::vector<model::Cell> cells_;                      // then: the state
  std::vector<std::vector<model::Cell>> descriptions_;  // and what processes are
};

}  // namespace plumb::refine
