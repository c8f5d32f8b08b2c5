// SPDX-License-Identifier: MIT
// Relaxations by permutation: slot, all and def4. One definition, three engines, one verifier.
//
// A history is quasi linearizable if it has a sequentialization rho' (a serial order of its
// operations that respects happens-before) and a permutation rho'' of it that the specification
// allows, such that no operation is farther from its place than its factor. What a place is:
//
//   slot   the operations of a set are permuted among the places that the set has in rho'; counted
//          within the set
//   all    any permutation; counted among all operations
//   def4   any permutation; counted within the set: how two sets mix is free
#pragma once

#include "check/problem/engine.hpp"
#include "check/property/quasi/relaxation.hpp"

namespace plumb::quasi {

/// An Answer's witnesses are rho' and rho''.
/// Round-Up, Algorithms 1 and 2: the baseline. `stats.configurations` counts sequentializations,
/// `stats.steps` permutations: up to the first that is legal or, if it is to `exhaust` them, all.
Answer decide_roundup_literal(const Problem& problem, Relaxation relaxation, const Factors& factors,
                              Budget& budget, bool dedup = true, bool exhaust = false);

/// Both sequences at once, what was seen remembered: the workhorse.
Answer decide_joint(const Problem& problem, Relaxation relaxation, const Factors& factors,
                    Budget& budget);

/// The definition without any cleverness, for small problems: confirms what the others find.
/// It has no witness.
Answer decide_pairs(const Problem& problem, Relaxation relaxation, const Factors& factors,
                    Budget& budget);

/// Checks rho' and rho'' by the definition above. Shares no code with the engines.
/// Returns: empty, or what is wrong.
std::string verify_permuted(const Problem& problem, Relaxation relaxation, const Factors& factors,
                            const std::vector<OperationId>& sequentialization,
                            const std::vector<OperationId>& permuted);

/// By place in the order: the place that counts, as the relaxation counts.
std::vector<std::uint32_t> places(const Problem& problem, Relaxation relaxation,
                                  const Factors& factors, const std::vector<OperationId>& order);

}  // namespace plumb::quasi
