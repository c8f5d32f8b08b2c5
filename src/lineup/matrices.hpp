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

/// The same, of exactly so many units. False: `use` said so.
bool enumerate_size(const Object& object, const Alphabet& alphabet, int units, int max_threads,
                    const std::function<bool(const Matrix&)>& use);
/// How many there are, before roles and symmetry take some away; as a floating-point number, since
/// it may be large.
double count_size(const Alphabet& alphabet, int units, int max_threads);
/// Different ones of them at random, in no order: `count`, or fewer if they are hard to find.
std::vector<Matrix> draw_size(const Object& object, const Alphabet& alphabet, int units,
                              int max_threads, std::size_t count, std::uint64_t seed,
                              const std::function<bool(const Matrix&)>& is_wanted);

/// A uniform sample of tests with so many units in each of so many columns. The same seed gives the
/// same tests anywhere.
std::vector<Matrix> sample(const Object& object, const Alphabet& alphabet, int rows, int columns,
                           int count, std::uint64_t seed);

/// Different random tests of all sizes up to so many units in each of so many columns, from two in
/// two on, small ones first, few of the largest. Up to three of the calls `first` come before.
std::vector<Matrix> sample_sizes(const Object& object, const Alphabet& alphabet,
                                 const Column& first, int rows, int columns, int count,
                                 std::uint64_t seed);

}  // namespace plumb::lineup
