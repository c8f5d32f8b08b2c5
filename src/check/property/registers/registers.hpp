// SPDX-License-Identifier: MIT
// Properties of registers besides linearizability: regular, safe, sequential.
#pragma once

#include "plumb/check.hpp"

namespace plumb {

/// Requires: options.property is one of them.
Result<CheckReport> check_property(const History& history, const CheckOptions& options,
                                   CheckProgress& progress);

/// Regular or safe. Requires: reads and writes only.
Result<CheckReport> check_reads(const History& history, const CheckOptions& options,
                                CheckProgress& progress);

}  // namespace plumb
