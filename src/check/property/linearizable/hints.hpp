// SPDX-License-Identifier: MIT
#pragma once

#include <optional>

#include "check/problem/problem.hpp"

namespace plumb {

/// The problem, with the order that the system itself claims (History::order) as order that must be
/// kept; nothing if no operation has a hint, or the order within a process is in the way.
std::optional<Problem> follow_hints(const History& history, const Problem& problem);

/// Whether the order keeps all hints: of two operations with different ones, the smaller first.
bool keeps_hints(const History& history, const Problem& problem,
                 const std::vector<OperationId>& order);

}  // namespace plumb
