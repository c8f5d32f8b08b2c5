// SPDX-License-Identifier: MIT
// Sequential consistency of registers.
#pragma once

#include "check/problem/engine.hpp"
#include "plumb/check.hpp"

namespace plumb {

/// Requires: reads and writes only.
Result<CheckReport> check_sequential(const History& history, const CheckOptions& options,
                                     CheckProgress& progress);

/// The same operations without real time: all overlap, and `after` keeps the order of each process.
/// Requires: `problem` is a part of `history`.
Problem without_real_time(const History& history, const Problem& problem);

/// Decides a problem of reads and writes that all overlap, but for `after`.
Answer decide_chains(const Problem& problem, Budget& budget, const EngineOptions& options = {});

}  // namespace plumb
