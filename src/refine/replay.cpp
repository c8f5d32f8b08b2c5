// SPDX-License-Identifier: MIT
// A violation is not believed because the search says so. Its trace, numbers of plain steps, is run
// again by the interpreter from the initial state, without any reduction; the calls and returns on
// the way are a history like any other; and that history is decided by the engines of src/check,
// which share no code with the search but the specification's own. A loop is run as well, and
// judged by the definitions. Only then it is reported.
#include "refine/replay.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "plumb/nondeterminism.hpp"
#include "spec/specifications.hpp"

namespace plumb::refine {

using model::Program;

namespace {

Error internal(std::string message) {
  return Error{ErrorKind::internal, "internal error: " + std::move(message),
               "this is a bug in plumb: please report it"};
}

// "push(1) of process 0 and pop() of process 1"
std::string pending_words(const Walk& walk, std::uint32_t processes) {
  std::vector<std::string> all;
  for (std::uint32_t p = 0; p < processes; ++p)
    if (walk.operation(p) != kNone) all.push_back(fmt::format("{} of process {}", walk.name(p), p));
  return text::list_words(all, "and");
}

// Processes at rest may or may not call again.
std::string blocked_words(const Walk& walk, const Program& program) {
  for (std::uint32_t p = 0; p < program.processes(); ++p)
    if (walk.operation(p) == kNone) return "no process can continue unless one makes a new call";
  return "no process can continue";
}

std::string lasso_words(const Walk& walk, const Program& program, const ProgressProperty& property,
                        const Lasso& lasso) {
  const std::string own = fmt::format("{} of process {}", walk.name(lasso.process), lasso.process);
  const bool waits = lasso.loop.empty();
  switch (property.kind) {
    case ProgressProperty::deadlock_free:
      return fmt::format(
          "From there on {}. Pending forever: {}.",
          waits ? blocked_words(walk, program)
                : "no operation returns any more, although every process gets its turn",
          pending_words(walk, program.processes()));
    case ProgressProperty::returns:
      return waits ? fmt::format("{} never returns: {}.", own, blocked_words(walk, program))
                   : fmt::format("{} never returns, although every process gets its turn.", own);
    case ProgressProperty::lock_free:
      return waits ? fmt::format(
                         "If only process {} runs from there on, {} waits forever, and no "
                         "operation returns.",
                         lasso.process, own)
                   : "If only these steps are taken from there on, again and again, no operation "
                     "ever returns.";
    case ProgressProperty::wait_free:
      return waits ? fmt::format("{} has to wait for another process.", own)
                   : fmt::format("{} may loop forever without returning.", own);
    case ProgressProperty::obstruction_free:
      return waits ? fmt::format("{} has to wait, although it runs alone from there on.", own)
                   : fmt::format("{} does not return, although it runs alone from there on.", own);
  }
  return "";
}

}  // namespace

Status replay(const Program& program, std::string_view text, VerifyReport& report) {
  const Found& found = report.found;
  Walk walk(program, text);
  for (const PlainStep step : found.trace)
    if (Status done = walk.take(step); !done.ok()) return done;
  if (found.kind == Found::fault && !walk.fault()) return internal("no fault in the replay");
  if (found.kind == Found::stuck && (!walk.possible().empty() || walk.cut()))
    return internal("the replay does not get stuck");
  Counterexample c;
  if (found.kind == Found::unexplained) c.culprit = walk.last_returned();
  if (found.kind == Found::stuck) {
    c.culprit = walk.operation(found.culprit);
    report.waiting = walk.waiting();
  }
  if (const auto& fault = walk.fault()) {
    if (fault->in_requires)
      return Error{ErrorKind::bad_input, "requires has a fault: " + fault->message,
                   "it must be defined wherever a client may make the call", "", fault->line};
    report.reason = fmt::format("line {}: {}", fault->line, fault->message);
    const std::uint32_t process = walk.trace().back().process;
    c.why.push_back(fmt::format("{} of process {} fails at line {}: {}.", walk.name(process),
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

Status replay_lasso(const Program& program, std::string_view text, const ProgressProperty& property,
                    const Lasso& lasso, VerifyReport& report) {
  if (const std::string wrong = refute(program, property, lasso); !wrong.empty())
    return internal("the loop is no counterexample: " + wrong);
  Walk walk(program, text);
  for (const PlainStep step : lasso.stem)
    if (Status done = walk.take(step); !done.ok()) return done;
  report.why.push_back(lasso_words(walk, program, property, lasso));
  report.trace = walk.trace();
  if (lasso.loop.empty()) {
    report.waiting = walk.waiting();
    if (!property.fair())
      std::erase_if(report.waiting, [&](const TraceStep& s) { return s.process != lasso.process; });
  }
  for (const PlainStep step : lasso.loop)
    if (Status done = walk.take(step); !done.ok()) return done;
  report.loop.assign(walk.trace().begin() + static_cast<std::ptrdiff_t>(report.trace.size()),
                     walk.trace().end());
  return {};
}

Result<CheckReport> check_history(const VerifyOptions& options, const VerifyReport& report) {
  CheckOptions check_options;
  check_options.specification = report.specification.get();
  if (of_registers(report.question) && !records(report.question)) {
    // The model is a register, so the checker's own will do.
    check_options.specification = &register_specification();
    check_options.property = report.question == Question(Criterion::safe)
                                 ? HistoryProperty::safe
                                 : HistoryProperty::regular;
    check_options.initial = report.initial_value;
  }
  check_options.partition = false;
  check_options.jobs = 1;
  check_options.timeout_seconds = options.timeout_seconds;
  check_options.memory_bytes = options.memory_bytes;
  check_options.interrupt = options.interrupt;
  try {
    return check(*report.history, check_options);
  } catch (const SpecificationError& error) {
    // The engines may look further than the search had to.
    return Error{ErrorKind::bad_input, error.what(),
                 "it must be defined for every call in every state that it can reach"};
  }
}

Status confirm(const VerifyOptions& options, VerifyReport& report) {
  if (report.found.kind == Found::fault) return {};
  const Result<CheckReport> checked = check_history(options, report);
  if (!checked.ok()) return checked.error();
  if (checked->verdict == Verdict::holds)
    return internal("the history of the counterexample is " + property_name(report.question));
  Counterexample& c = *report.counterexample;
  if (checked->verdict == Verdict::violation && checked->counterexample) {
    c = *checked->counterexample;
  } else {
    report.found.verdict = Verdict::undecided;
    report.found.stopped = StopReason::not_confirmed;
    report.reason = "a violation was found, but not confirmed: " + checked->reason;
  }
  if (c.why.empty()) c.why.push_back("No order of the operations explains this.");
  return {};
}

}  // namespace plumb::refine
