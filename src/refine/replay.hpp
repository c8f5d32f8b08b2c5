// SPDX-License-Identifier: MIT
// What has to be true of a counterexample before it is shown.
#pragma once

#include <string_view>

#include "refine/verify.hpp"

namespace plumb::refine {

/// Runs the trace of `report.found`, and fills in the steps, the history and a counterexample.
Status replay(const model::Program& program, std::string_view text, VerifyReport& report);

/// The same for a lasso: the steps, the loop, and what is wrong in words.
Status replay_lasso(const model::Program& program, std::string_view text,
                    const ProgressProperty& property, const Lasso& lasso, VerifyReport& report);

/// Decides the history of the report by the engines for recorded histories, within the limits of
/// the options.
Result<CheckReport> check_history(const VerifyOptions& options, const VerifyReport& report);

/// Requires: replay() filled in the report. Puts the checker's counterexample into it; without one
/// the report becomes undecided.
Status confirm(const VerifyOptions& options, VerifyReport& report);

}  // namespace plumb::refine
