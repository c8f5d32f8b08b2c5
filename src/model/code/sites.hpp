// SPDX-License-Identifier: MIT
// Where values of one kind are in a state: pointers, or names of processes, which are renamed.
#pragma once

#include <cstdint>
#include <vector>

#include "model/code/program.hpp"

namespace plumb::model {

/// A digit of a cell.
struct Site {
  std::uint32_t cell, id;  // Type::id
  Cell worth, values;
  Cell get(const Cell* state) const { return state[cell] / worth % values; }
  void put(Cell* state, Cell value) const { state[cell] += (value - get(state)) * worth; }
  Site at(std::uint32_t offset) const { return {cell + offset, id, worth, values}; }
};

struct Sites {
  Sites(const Program& program, Type::Kind kind);

  std::vector<Site> shared;                 // but not in nodes
  std::vector<std::vector<Site>> by_point;  // of a process; cells counted from its own
  std::vector<std::vector<Site>> fields;    // by pool, of its first node

  bool any() const;
  const std::vector<Site>& of_process(const Program& program, const Cell* state,
                                      std::uint32_t process) const {
    return by_point[static_cast<std::size_t>(state[program.block_of(process)])];
  }
};

}  // namespace plumb::model
