// SPDX-License-Identifier: MIT
// How far out of order a history is: which element, by how much, and who overtook it.
#pragma once

#include <string>
#include <vector>

#include "check/problem/engine.hpp"
#include "check/property/quasi/relaxation.hpp"
#include "plumb/check.hpp"

namespace plumb::quasi {

/// What is out of its place in a witness: `order` is rho' and, if the relaxation permutes,
/// `permuted` rho''. Operations are the history's.
std::vector<QuasiReport::Distance> distances(const Problem& problem, const Specification& plain,
                                             Relaxation relaxation, const Factors& factors,
                                             const std::vector<OperationId>& order,
                                             const std::vector<OperationId>& permuted);

/// The largest number of places, or of overtakings, among them.
std::uint32_t largest(const std::vector<QuasiReport::Distance>& distances);

/// Sentences on a counterexample of which `what` ("these operations") would need the factor
/// `needed`, and has these distances with it; empty `needed`: no factor explains it.
std::vector<std::string> distance_words(const History& history, Relaxation relaxation,
                                        const std::vector<QuasiSet>& sets,
                                        const std::vector<QuasiReport::Distance>& distances,
                                        std::optional<std::uint32_t> needed,
                                        const std::string& what);

}  // namespace plumb::quasi
