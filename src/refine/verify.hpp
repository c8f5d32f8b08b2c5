// SPDX-License-Identifier: MIT
// Decides a model: plumb/verify.hpp, on a compiled program and with all that reports need.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/code/program.hpp"
#include "plumb/check.hpp"
#include "plumb/result.hpp"
#include "plumb/verify.hpp"
#include "refine/evidence/marks.hpp"
#include "refine/evidence/vacuity.hpp"
#include "refine/evidence/walk.hpp"
#include "refine/progress.hpp"
#include "refine/search/product.hpp"

namespace plumb::refine {

// Public types that other layers call by this namespace.
using plumb::Saving;
using plumb::VerifyOptions;

struct VerifyReport {
  Question question = Criterion::linearizable;  // that it answers
  bool simulated = false;                       // of one run only
  Found found;
  std::string reason;  // undecided: why; violation by a fault: what
  std::vector<TraceStep> trace;
  std::vector<TraceStep> waiting;  // who waits at its end, where that is what is wrong
  std::vector<TraceStep> loop;     // progress: what repeats forever after the trace
  std::vector<std::string> why;    // progress: what is wrong, in words
  std::unique_ptr<Specification> specification;
  std::optional<Value> initial_value;            // of a register: regular, safe
  std::unique_ptr<History> history;              // of the trace
  std::optional<Counterexample> counterexample;  // of that history: what matters, and why
  double seconds = 0;                            // of the search alone
  std::optional<MarksFailure> marks;             // then it was decided without them
  std::vector<Warning> warnings;                 // of what holds
  std::vector<Saving> savings;
  std::vector<std::string> notes;
};

/// Requires: the program outlives the report. `text` is the model's, for quoting lines.
/// An error without a file is about the model's.
Result<VerifyReport> verify(const model::Program& program, std::string_view text,
                            const VerifyOptions& options, SearchProgress* progress = nullptr);

}  // namespace plumb::refine
