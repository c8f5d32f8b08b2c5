// SPDX-License-Identifier: MIT
// Door 3 as a library: decide a model.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/code/program.hpp"
#include "plumb/check.hpp"
#include "plumb/result.hpp"
#include "refine/evidence/marks.hpp"
#include "refine/evidence/vacuity.hpp"
#include "refine/evidence/walk.hpp"
#include "refine/progress.hpp"
#include "refine/search/product.hpp"

namespace plumb::refine {

struct VerifyOptions {
  Reductions reductions = {};
  std::string property = "linearizable";          // its name
  Criterion criterion = Criterion::linearizable;  // unless it is about progress
  bool explore_only = false;
  std::optional<ProgressProperty> progress = {};  // in place of linearizability
  bool cut_is_bound = false;  // `new` without a free node ends a path: that is what was asked for
  bool savings = false;       // find out what each reduction saves
  bool least = true;          // of the counterexamples, find the least
  unsigned jobs = 1;
  Native native = Native::never;
  bool compact = false;
  double timeout_seconds = 0;    // 0: none
  std::size_t memory_bytes = 0;  // of the whole process; 0: none
  const std::atomic<bool>* interrupt = nullptr;
  std::string checkpoint = {};  // a file, not for progress properties; empty: none
  double checkpoint_seconds = 30;
};

/// The same search with one reduction switched off, or with all of them.
struct Saving {
  std::string without;  // a name of kReductions, or "all"
  std::uint64_t states = 0, transitions = 0;
  double seconds = 0;
  bool complete = false;  // it came to an end in the time it was given
};

struct VerifyReport {
  Found found;
  std::string reason;  // undecided: why; violation by a fault: what
  std::vector<TraceStep> trace;
  std::vector<TraceStep> waiting;  // who waits at its end, where that is what is wrong
  std::vector<TraceStep> loop;     // progress: what repeats for ever after the trace
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
Result<VerifyReport> verify(const model::Program& program, std::string_view text,
                            const VerifyOptions& options, SearchProgress* progress = nullptr);

}  // namespace plumb::refine
