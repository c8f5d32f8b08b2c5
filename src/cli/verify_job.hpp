// SPDX-License-Identifier: MIT
// plumb verify: one model with one value for each constant, as a worker thread decides it.
#pragma once

#include <atomic>
#include <optional>
#include <string>

#include "base/exit_status.hpp"
#include "model/code/program.hpp"
#include "refine/simulate.hpp"
#include "refine/verify.hpp"
#include "report/case.hpp"
#include "report/sweep.hpp"

namespace plumb::cli {

/// What the worker thread works on. If it has to be abandoned, it still uses this.
struct VerifyJob {
  VerifyJob(const std::string& model_text, const model::Program& compiled)
      : text(model_text), program(compiled) {}

  const std::string& text;
  const model::Program& program;
  refine::VerifyOptions options;
  refine::Choose choose;  // --simulate
  std::atomic<bool> stop{false};
  refine::SearchProgress progress;
  std::optional<Result<refine::VerifyReport>> report;
  std::optional<Error> failure;

  void run();
};

/// What was decided, and how it is reported.
struct VerifyDecision {
  ExitStatus status = ExitStatus::undecided;
  bool abandoned = false;  // a worker still uses its job
  report::SweepRow row;
  std::string report;  // empty: an error was printed
  std::string error;   // that error
  report::Case shown;  // for --junit and --markdown
  std::string json;    // of a sweep, for --html; one line
};

/// How a decision travels from a child process.
std::string pack(const VerifyDecision& decision);
VerifyDecision unpack(const std::optional<std::string>& text);

}  // namespace plumb::cli
