// SPDX-License-Identifier: MIT
// Door 3 as a library: decide a model.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/program.hpp"
#include "plumb/check.hpp"
#include "plumb/result.hpp"
#include "refine/product.hpp"

namespace plumb::refine {

struct VerifyOptions {
  Reductions reductions = {};
  bool explore_only = false;
  bool cut_is_bound = false;   // `new` without a free node ends a path: that is what was asked for
  double timeout_seconds = 0;  // 0: none
  std::size_t memory_bytes = 0;  // of the whole process; 0: none
  const std::atomic<bool>* interrupt = nullptr;
};

/// One plain step of a counterexample.
struct TraceStep {
  std::uint32_t process = 0;
  model::StepKind kind = model::StepKind::inside;
  std::uint32_t line = 0;  // of the model
  std::string what;        // "call push(1)", "return 2", or what stands in that line
  struct Change {
    std::string variable;
    std::string before, after;
  };
  std::vector<Change> changes;
};

struct VerifyReport {
  Found found;
  std::string reason;  // undecided: why; violation by a fault: what
  std::vector<TraceStep> trace;
  std::unique_ptr<Specification> specification;
  std::unique_ptr<History> history;              // of the trace
  std::optional<Counterexample> counterexample;  // of that history: what matters, and why
  double seconds = 0;                            // of the search alone
  std::vector<std::string> notes;
};

/// Requires: the program outlives the report. `text` is the model's, for quoting lines.
Result<VerifyReport> verify(const model::Program& program, std::string_view text,
                            const VerifyOptions& options, SearchProgress* progress = nullptr);

}  // namespace plumb::refine
