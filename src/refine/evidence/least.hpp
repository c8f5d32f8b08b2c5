// SPDX-License-Identifier: MIT
// Of all counterexamples, one with the fewest operations, and of these, one with the fewest steps.
#pragma once

#include "refine/search/product.hpp"

namespace plumb::refine {

/// How many pairs it visits, at most.
inline constexpr std::uint64_t kMostForLeast = 1'000'000;

/// Requires: `found` is a violation by refine(), or by explore() where it is not `monitored`.
/// Replaces its trace, and what is wrong at the end of it, by the least; `found.fewest_operations`
/// and `found.fewest_steps` say what is known of it then.
void find_least(const model::Program& program, const Reductions& reductions, bool monitored,
                Budget& budget, Found& found, std::uint64_t most = kMostForLeast);

}  // namespace plumb::refine
