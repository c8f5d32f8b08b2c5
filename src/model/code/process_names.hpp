// SPDX-License-Identifier: MIT
// Variables of type `process`, and arrays that are indexed by processes: what they say of each
// process, and how they look when the processes are renamed.
//
// No code can tell which process a value of this type names: it is only copied, compared and used
// as an index. So exchanging two processes that run the same code, and their names wherever they
// occur, gives a state with the same future.
#pragma once

#include <cstdint>
#include <vector>

#include "model/code/sites.hpp"

namespace plumb::model {

/// Not thread-safe: it has scratch memory.
class ProcessNames {
 public:
  explicit ProcessNames(const Program& program);

  bool any() const { return !arrays_.empty() || sites_.any(); }
  /// Changes and completes the description of a process, which begins with its block: instead of
  /// names it says null, itself or another; and which variables name it, and what its elements of
  /// arrays are.
  void describe(const Cell* state, std::uint32_t process, std::vector<Cell>& description) const;
  /// Requires: the blocks were exchanged already; process i was order[i].
  void rename(Cell* state, const std::vector<std::uint8_t>& order);

 private:
  const Program& program_;
  Sites sites_;
  struct Array {
    Cell first, size;
    std::vector<Site> sites;  // of its first element
  };
  std::vector<Array> arrays_;  // indexed by processes
  std::vector<Site> single_;   // in shared variables that are none of these
  std::vector<Cell> new_names_, scratch_;
};

}  // namespace plumb::model
