// SPDX-License-Identifier: MIT
// What is wrong with the designer's linearization points, or with the object, in one run.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "plumb/result.hpp"
#include "refine/evidence/walk.hpp"

namespace plumb::refine {

/// A run that the marks do not explain.
struct MarksFailure {
  std::string why;
  std::vector<TraceStep> trace;  // says where operations take effect
};

/// Requires: `found` is a violation, other than a fault, found with Criterion::points. Runs its
/// trace step by step, and judges it by the definition.
Result<MarksFailure> explain_marks(const model::Program& program, std::string_view text,
                                   const Found& found);

}  // namespace plumb::refine
