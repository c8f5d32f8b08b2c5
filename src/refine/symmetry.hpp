// SPDX-License-Identifier: MIT
// Processes that can not be told apart are put into a fixed order.
//
// Section 4.2 of the paper (see monitor.cpp): renaming the processes of a class in the whole pair,
// the state of the implementation and the set of the specification, gives a pair with the same
// future. So one pair of each class of renamings is enough. The paper tries all n! permutations and
// takes the least pair; here the processes are sorted by what they are (their fields) and then by
// what the set says of them (Monitor::signature), which costs a sort. Where two processes tie in
// both, either order is taken: two pairs that could have been merged are then both explored, which
// is sound.
//
// Pointers are numbers of nodes, and these depend on the order of the processes; so with nodes a
// process is compared by Heap::describe, and the nodes are numbered again afterwards.
//
// A class is symmetric if no operation that it calls mentions `self`: its processes then run the
// same code on the same shared variables, none of which holds a process's number.
#pragma once

#include <cstdint>
#include <vector>

#include "model/heap.hpp"
#include "refine/monitor.hpp"

namespace plumb::refine {

class Symmetry {
 public:
  explicit Symmetry(const model::Program& program);

  bool any() const { return any_; }
  /// Sorts a state, and renames the processes in the set likewise; a null monitor: there is none.
  /// Returns: the order, new process i was the old one order()[i]; false if nothing changed.
  bool apply(model::Cell* state, Monitor* monitor, SetId& set);
  const std::vector<std::uint8_t>& order() const { return order_; }

 private:
  const model::Program& program_;
  bool any_ = false;
  std::vector<std::uint8_t> order_;
  model::Heap heap_;
  std::vector<std::vector<model::Cell>> descriptions_;  // with nodes: instead of the fields
  std::vector<std::uint64_t> signatures_;
  std::vector<model::Cell> scratch_;
};

}  // namespace plumb::refine
