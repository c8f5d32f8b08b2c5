// SPDX-License-Identifier: MIT
// Properties of registers besides linearizability: regular, safe, sequential; and how stale a read
// is that is not linearizable.
#pragma once

#include <optional>
#include <string>

#include "check/problem/engine.hpp"
#include "plumb/check.hpp"

namespace plumb {

/// "linearizable", "regular", "safe", "sequential"
bool is_property(const std::string& name);

/// Decides a property of that name, but linearizability. Requires: is_property(options.property).
Result<CheckReport> check_property(const History& history, const CheckOptions& options,
                                   CheckProgress& progress);

/// Regular or safe. Requires: reads and writes only.
Result<CheckReport> check_reads(const History& history, const CheckOptions& options,
                                CheckProgress& progress);
/// Of a problem of reads and writes that is not linearizable: 2 if it is 2-atomic, 3 if it is not;
/// 0: not decided, or not a register.
unsigned staleness(const Problem& problem, Budget& budget);

}  // namespace plumb
