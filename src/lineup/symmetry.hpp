// SPDX-License-Identifier: MIT
// Tests that are alike: if one fails, so do the others, and one of them stands for all.
//
// Threads can be exchanged, unless operations are bound to them or ask which thread they are on.
// Values can be renamed if the class says that it does nothing with them but keep them and give
// them back (Description::data_independent).
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
