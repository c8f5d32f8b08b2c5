// SPDX-License-Identifier: MIT
#pragma once

#include "check/problem/engine.hpp"
#include "check/property/quasi/relaxation.hpp"

namespace plumb::quasi {

/// Necessary conditions of a relaxed queue that need no search. Returns: a violation with its core,
/// or undecided.
Answer refute_by_crossings(const Problem& problem, const Specification& plain,
                           Relaxation relaxation, const Factors& factors);

}  // namespace plumb::quasi
