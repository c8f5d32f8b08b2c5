// SPDX-License-Identifier: MIT
#include "check/evidence/evidence.hpp"

#include <fmt/format.h>

#include "explain/explain.hpp"

namespace plumb {

void report_answer(const Answer& answer, PartitionReport& part) {
  part.verdict = answer.verdict;
  part.engine = answer.engine;
  part.reason = answer.reason;
  part.why_engine = answer.why_engine;
  part.declined = answer.declined;
  part.covered = answer.covered;
  part.configurations = answer.stats.configurations;
  part.steps = answer.stats.steps;
  part.states = answer.stats.states;
  part.bytes = answer.stats.bytes;
  part.peak_frontier = answer.stats.peak_frontier;
}

Status ask_second_engine(const Minimised& cut, const Answer& answer, const History& history,
                         CheckReport& report) {
  if (!cut.contradicted_by.empty())
    return Error{ErrorKind::internal,
                 fmt::format("engines {} and {} disagree", answer.engine, cut.contradicted_by),
                 "this is a bug in plumb: please report it with the history", history.file};
  if (cut.confirmed_by.empty()) {
    report.verdict = Verdict::undecided;
    report.reason =
        fmt::format("engine {} found a violation, but no second engine could confirm it in time",
                    answer.engine);
  }
  return {};
}

Status refute(const History& history, const Problem& problem, const Answer& answer, Budget& budget,
              CheckReport& report, bool excerpt) {
  const Minimised cut = minimise(problem, answer, budget);
  if (Status second = ask_second_engine(cut, answer, history, report); !second.ok()) return second;
  Counterexample example;
  example.excerpt = excerpt;
  for (const OperationId op : cut.operations) example.operations.push_back(problem.ops[op].source);
  if (cut.culprit != kNone) example.culprit = problem.ops[cut.culprit].source;
  example.minimal = cut.minimal;
  example.left_state = cut.left_state;
  // A problem that starts in the middle has its state on the left, even if nothing was cut there.
  if (cut.left == 0 && problem.origin)
    example.left_state = problem.origin->print(problem.origin_state);
  if (cut.left > 0 && cut.left < problem.events.size()) {
    const Event event = problem.events[cut.left];
    const OperationId source = problem.ops[event.operation()].source;
    example.left_position = event.is_return() ? history.ret[source] : history.call[source];
  }
  example.confirmed_by = cut.confirmed_by;
  explain(history, *problem.specification, example, problem.initial);
  report.counterexample = std::move(example);
  return {};
}

}  // namespace plumb
