// SPDX-License-Identifier: MIT
// Properties of registers besides linearizability: regular, safe, sequential.
#pragma once

#include <string>

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

}  // namespace plumb
