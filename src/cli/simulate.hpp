// SPDX-License-Identifier: MIT
// plumb verify --simulate: who chooses the steps of a run.
#pragma once

#include <cstdint>

#include "refine/simulate.hpp"

namespace plumb::cli {

/// At random, so many steps at most; the same for the same seed.
refine::Choose random_steps(std::uint64_t seed, std::uint64_t steps);

/// Asks on standard output and standard input.
refine::Choose asked_steps();

}  // namespace plumb::cli
