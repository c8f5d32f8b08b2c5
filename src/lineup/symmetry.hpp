// SPDX-License-Identifier: MIT
// Equivalent tests: if one fails, so do the others, so only one of them is run.
//
// Threads are interchangeable unless operations are bound to them or read their thread id. Values
// can be renamed if the class declares that it only stores and returns them
// (Description::data_independent).
#pragma once

#include <vector>

#include "lineup/matrices.hpp"

namespace plumb::lineup {

struct Symmetry {
  bool columns = false;
  std::vector<Column> renamings;  // invocation i becomes renaming[i]
};

Symmetry symmetry_of(const Object& object, const Alphabet& alphabet);

/// Of those that are alike, the one that is first in the order of `enumerate`.
bool stands_for_all(const Matrix& test, const Symmetry& symmetry);

}  // namespace plumb::lineup
