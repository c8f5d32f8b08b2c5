// SPDX-License-Identifier: MIT
#pragma once

#include "minimise.hpp"
#include "plumb/check.hpp"

namespace plumb {

/// Cuts a violation down, has a second engine refute it and explains it: fills in the report's
/// counterexample. Without a second engine the report's verdict becomes `undecided`.
/// Requires: `answer` is a violation of `problem`, a part of `history`.
/// Returns: an internal error where engines disagree.
Status refute(const History& history, const Problem& problem, const Answer& answer, Budget& budget,
              CheckReport& report, bool excerpt = false);

}  // namespace plumb
