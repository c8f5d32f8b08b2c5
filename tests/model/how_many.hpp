// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <random>

#include "support/draws.hpp"

namespace plumb::refine {

using test::Draws;
using test::seed_of;

/// How many random models to try: what PLUMB_MODELS_N says, for long runs and for sanitizers.
inline std::uint64_t how_many(std::uint64_t usually, std::uint64_t at_most = 1'000'000) {
  return std::min(test::number_from("PLUMB_MODELS_N", usually), at_most);
}

/// What model i is drawn from.
inline std::mt19937 source_of(std::uint64_t i) {
  return std::mt19937(static_cast<std::mt19937::result_type>(seed_of(i)));
}

}  // namespace plumb::refine
