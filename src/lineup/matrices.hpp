// SPDX-License-Identifier: MIT
// Which tests are run: all of them, smallest first (AutoCheck, Line-Up, Fig. 6), or a random sample
// (RandomCheck, Fig. 8).
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "lineup/matrix.hpp"

namespace plumb::lineup {

/// What tests are made of: operations, or whole sequences of them as units.
struct Alphabet {
  std::vector<Column> units;
  Column initial, final;
};

/// Every test in order of its operations, then of its threads, then of its invocations; so the
/// first that fails is nearly the smallest, and each is reached some day (Theorem 7), while the
/// paper's n x n matrices double in size. Until `use` says false.
void enumerate(const Object& object, const Alphabet& alphabet, int max_operations, int max_threads,
               const std::function<bool(const Matrix&)>& use);

/// A uniform sample of tests with so many units in each of so many columns. The same seed gives the
/// same tests anywhere.
std::vector<Matrix> sample(const Object& object, const Alphabet& alphabet, int rows, int columns,
                           int count, std::uint64_t seed);

}  // namespace plumb::lineup
