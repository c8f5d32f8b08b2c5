// SPDX-License-Identifier: MIT
// A violation is not believed because the search says so. Its trace, numbers of plain steps, is run
// again by the interpreter from the initial state, without any reduction; the calls and returns on
// the way are a history like any other; and that history is decided by the engines of src/check,
// which share no code with the search but the specification's own. Only then it is reported.
#include "refine/verify.hpp"

#include <fmt/format.h>

#include "check/clock.hpp"
#include "model/sequential.hpp"
#include "plumb/nondeterminism.hpp"

namespace plumb::refine {
namespace {

using model::Program;

Error internal(std::string message) {
  return Error{ErrorKind::internal, "internal error: " + std::move(message),
               "this is a bug in plumb: please report it"};
}

// Runs the trace, and fills in the report.
Status replay(const Program& program, std::string_view text, VerifyReport& report) {
  const Found& found = report.found;
  Walk walk(program, text);
  for (const PlainStep step : found.trace)
    if (Status done = walk.take(step); !done.ok()) return done;
  if (found.kind == Found::fault && !walk.fault()) return internal("no fault in the replay");
  if (found.kind == Found::stuck && !walk.possible().empty())
    return internal("the replay does not get stuck");
  Counterexample c;
  if (found.kind == Found::unexplained) c.culprit = walk.last_returned();
  if (found.kind == Found::stuck) {
    c.culprit = walk.operation(found.culprit);
    report.waiting = walk.waiting();
  }
  if (const auto& fault = walk.fault()) {
    report.reason = fmt::format("line {}: {}", fault->line, fault->message);
    const std::uint32_t process = walk.trace().back().process;
    c.why.push_back(fmt::format("{} of process {} goes wrong in line {}: {}.", walk.name(process),
                                process, fault->line, fault->message));
    c.confirmed_by = "replay";
  }
  report.trace = walk.trace();
  Result<History> history = walk.history(found.kind == Found::stuck);
  if (!history.ok()) return std::move(history.error());
  report.history = std::make_unique<History>(std::move(*history));
  for (OperationId op = 0; op < report.history->size(); ++op) c.operations.push_back(op);
  report.counterexample = std::move(c);
  return {};
}

// The history alone, decided by the engines for recorded histories.
Status confirm(const VerifyOptions& options, VerifyReport& report) {
  if (report.found.kind == Found::fault) return {};
  CheckOptions check_options;
  check_options.specification = report.specification.get();
  check_options.partition = false;
  check_options.jobs = 1;
  check_options.interrupt = options.interrupt;
  const Result<CheckReport> checked = check(*report.history, check_options);
  if (!checked.ok()) return checked.error();
  if (checked->verdict == Verdict::holds)
    return internal("the history of the counterexample is linearizable");
  Counterexample& c = *report.counterexample;
  if (checked->verdict == Verdict::violation && checked->counterexample) {
    c = *checked->counterexample;
  } else {
    report.found.verdict = Verdict::undecided;
    report.reason = "a violation was found, but not confirmed: " + checked->reason;
  }
  if (c.why.empty()) c.why.push_back("No order of the operations explains this.");
  return {};
}

// What a reduction saves can only be known without it. That may take for ever, so each search gets
// a few times what the reduced one took.
std::vector<Saving> find_savings(const Program& program, const VerifyOptions& options,
                                 const Found& found, double seconds) {
  constexpr double kTimes = 10, kLeast = 1;  // seconds
  std::vector<Saving> all;
  double left = options.timeout_seconds > 0 ? options.timeout_seconds - seconds : 1e9;
  const auto without = [&](std::string name, const Reductions& reductions) {
    const double share = std::min(left, std::max(kLeast, kTimes * seconds));
    if (share <= 0) return;
    const auto start = Clock::now();
    Budget budget(share, options.memory_bytes, options.interrupt);
    const Found other = refine(program, reductions, budget);
    all.push_back({std::move(name), other.states, other.transitions, since(start),
                   other.verdict == found.verdict});
    left -= since(start);
  };
  Reductions none = options.reductions;
  for (const ReductionName& r : kReductions) {
    if (!(options.reductions.*r.on)) continue;
    Reductions one_less = options.reductions;
    one_less.*r.on = none.*r.on = false;
    without(r.name, one_less);
  }
  if (all.size() > 1) without("all", none);
  return all;
}

}  // namespace

Result<VerifyReport> verify(const Program& program, std::string_view text,
                            const VerifyOptions& options, SearchProgress* progress) {
  VerifyReport report;
  report.specification = make_specification(program);
  Budget budget(options.timeout_seconds, options.memory_bytes, options.interrupt);
  const auto start = Clock::now();
  report.found = options.explore_only ? explore(program, false, budget, progress)
                                      : refine(program, options.reductions, budget, progress);
  report.seconds = since(start);
  if (report.found.spec_fault)
    return Error{ErrorKind::bad_input,
                 "the specification goes wrong: " + report.found.spec_fault->message,
                 "it must be defined for every call in every state that it can reach", "",
                 report.found.spec_fault->line};
  if (options.reductions.symmetry && !options.explore_only)
    for (const model::ClientClass& c : program.classes)
      if (!c.symmetric && c.count > 1)
        report.notes.push_back(
            fmt::format("no symmetry among processes {} to {}: their operations mention self",
                        c.first, c.first + c.count - 1));
  switch (report.found.stopped) {
    case Budget::Stop::timeout: report.reason = "time-out"; break;
    case Budget::Stop::memory: report.reason = "memory limit"; break;
    case Budget::Stop::interrupted: report.reason = "interrupted"; break;
    default: break;
  }
  if (report.found.verdict == Verdict::holds)
    report.warnings = vacuity(program, report.found.coverage, model::Quotes(text));
  if (options.savings && !options.explore_only && report.found.verdict != Verdict::undecided)
    report.savings = find_savings(program, options, report.found, report.seconds);
  if (report.found.verdict != Verdict::violation) return report;
  if (Status replayed = replay(program, text, report); !replayed.ok())
    return std::move(replayed.error());
  try {
    if (Status confirmed = confirm(options, report); !confirmed.ok())
      return std::move(confirmed.error());
  } catch (const SpecificationError& error) {
    // The engines may look further than the search had to.
    return Error{ErrorKind::bad_input, error.what(),
                 "it must be defined for every call in every state that it can reach"};
  }
  return report;
}

}  // namespace plumb::refine
