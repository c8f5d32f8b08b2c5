// SPDX-License-Identifier: MIT
#include "evidence.hpp"

#include <fmt/format.h>

#include "explain/explain.hpp"

namespace plumb {

Status refute(const History& history, const Problem& problem, const Answer& answer, Budget& budget,
              CheckReport& report, bool excerpt) {
  const Minimised cut = minimise(problem, answer, budget);
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
