// SPDX-License-Identifier: MIT
// Makes a failing test as small as it can be, which the authors of Line-Up did by hand (section
// 5.1): fewer threads, then fewer operations, then simpler arguments, then fewer preemptions.
#pragma once

#include <functional>

#include "lineup/matrix.hpp"

namespace plumb::lineup {

/// Whether the test fails in the same way, with so many preemptions; -1: in the usual search.
using Fails = std::function<bool(const Matrix& test, int preemptions)>;

struct Shrunk {
  Matrix test;
  int preemptions = 0;  // fewest that show it; -1: more than max_preemptions, or the test as it was
  int tried = 0;        // tests
};

/// What a smaller test keeps, because it is how the object is to be used.
struct Kept {
  std::vector<Column> units;  // columns stay made of these; none: of any operations
  bool initial = false, final = false;
};

/// Requires: fails(test, preemptions). A smaller test may need more preemptions, since less happens
/// by itself: up to `max_preemptions` are tried.
Shrunk shrink(const Object& object, const Kept& kept, Matrix test, int preemptions,
              int max_preemptions, const Fails& fails);

bool is_made_of(const Column& column, const std::vector<Column>& units);

}  // namespace plumb::lineup
