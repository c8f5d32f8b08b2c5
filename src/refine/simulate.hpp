// SPDX-License-Identifier: MIT
// One run of a model, and whether its history is linearizable.
#pragma once

#include <functional>
#include <optional>

#include "refine/verify.hpp"

namespace plumb::refine {

/// Which of the possible steps comes next; nothing: enough.
using Choose =
    std::function<std::optional<PlainStep>(Walk& walk, const std::vector<PlainStep>& possible)>;

/// Takes steps until no process can, or `choose` stops. The report's verdict is that on the one
/// history; a violation has its counterexample.
Result<VerifyReport> simulate(const model::Program& program, std::string_view text,
                              const VerifyOptions& options, const Choose& choose);

}  // namespace plumb::refine
