// SPDX-License-Identifier: MIT
// A picture of a small state space.
#pragma once

#include <string>
#include <string_view>

#include "refine/search/graph.hpp"

namespace plumb::refine {

inline constexpr std::uint32_t kLargestPicture = 500;  // states; more are not readable

/// The graph in the language of Graphviz: a state with its shared variables and where each process
/// stands, an edge with what it does, in the colour of its process. Requires: it is complete.
std::string dot(const model::Program& program, std::string_view text, const Graph& graph);

}  // namespace plumb::refine
