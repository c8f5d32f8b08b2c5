// SPDX-License-Identifier: MIT
// Linearizability is local: objects and, where the specification has keys, keys are decided one by
// one, by any engine, and their orders are merged into one. Only where clocks make operations of
// one process overlap can the orders contradict each other (merge_by_real_time); then the history
// is decided again as a whole.
#include "check/property/linearizable/linearizable.hpp"

#include <algorithm>

#include "check/monitors/cell.hpp"
#include "check/property/linearizable/hints.hpp"
#include "check/property/linearizable/staleness.hpp"
#include "explain/explain.hpp"

namespace plumb {
namespace {

// Whether the culprit is a read of a value that was in its cell at some time.
bool read_what_was_there(const Problem& problem, OperationId culprit) {
  const Cell cell = as_cell(problem);
  if (!cell.reason.empty()) return false;
  const auto op = std::find_if(problem.ops.begin(), problem.ops.end(),
                               [&](const Problem::Op& o) { return o.source == culprit; });
  const CellMove& read = cell.moves[op->label];
  if (read.kind != CellMove::Kind::read) return false;
  return read.from == cell.initial ||
         std::any_of(problem.ops.begin(), problem.ops.end(), [&](const Problem::Op& o) {
           return o.call < op->ret && cell.moves[o.label].changes() &&
                  cell.moves[o.label].to == read.from;
         });
}

}  // namespace

Result<Partitioning> Linearizable::split() {
  Result<Partitioning> parts = make_partitions(history_, options_);
  if (parts.ok()) parts_ = parts->partitions.size();
  return parts;
}

Answer Linearizable::decide(const Partition& part, Budget& budget) {
  const EngineOptions options = engine_options(options_);
  const auto hinted =
      options_.engine == "auto" ? follow_hints(history_, part.problem) : std::optional<Problem>();
  if (hinted) {
    Answer answer = decide_jit(*hinted, budget, options);
    if (answer.verdict == Verdict::holds &&
        keeps_hints(history_, part.problem, answer.witnesses.front())) {
      answer.why_engine = "it follows the order hints";
      return answer;
    }
    if (budget.stopped() == StopReason::none) hints_refused_ = true;
  }
  return plumb::decide(options_.engine, part.problem, budget, options);
}

std::string Linearizable::verify(const Partition& part, const Answer& answer) const {
  return verify_witness(part.problem, answer);
}

Minimised Linearizable::minimise(const Partition& part, const Answer& answer, Budget& budget) {
  return plumb::minimise(part.problem, answer, budget);
}

void Linearizable::confirm(const Partition& part, const Answer& answer, std::uint64_t factor,
                           Budget& budget, Minimised& cut) {
  confirm_whole(part.problem, answer, factor, budget, cut);
}

bool Linearizable::explain(const Partition& part, const Minimised& cut, Counterexample& example,
                           Budget& budget) {
  plumb::explain(history_, *part.problem.specification, example, part.problem.initial);
  if (!cut.confirmed_by.empty() && parts_ > 0) say_how_stale(part.problem, example, budget);
  return true;
}

// Of a read that returned what was once there: whether one write more explains it.
void Linearizable::say_how_stale(const Problem& problem, Counterexample& example,
                                 Budget& budget) const {
  if (example.culprit == kNone || !read_what_was_there(problem, example.culprit)) return;
  Budget slice(budget, kStepsPerSecond / 4);  // a remark is not worth more
  example.stale = staleness(problem, slice);
  if (example.stale == 0) return;
  const std::string what = parts_ > 1 ? "this part of the history" : "the history";
  const std::string allowed = "if reads may return either of the last two values written, " + what;
  example.why.push_back(example.stale == 2
                            ? "The read is stale by one write: " + allowed + " is linearizable."
                            : "Even " + allowed + " is not linearizable.");
}

Result<CheckReport> check_linearizable(const History& history, const CheckOptions& options,
                                       CheckProgress& progress) {
  const auto start = Clock::now();
  Linearizable property(history, options);
  Result<CheckReport> report = Pipeline(property, history, options, progress).run();
  if (!report.ok()) return report;
  if (property.hints_refused())
    report->scope_notes.push_back("no order that explains the results follows the order hints");
  if (report->stopped != StopReason::not_merged || !options.partition) return report;

  CheckOptions whole = with_time_left(options, start);
  whole.partition = false;
  Result<CheckReport> again = check_linearizable(history, whole, progress);
  if (!again.ok()) return again;
  again->seconds += report->seconds;
  again->split_seconds += report->split_seconds;
  again->scope_notes.push_back(
      "not split by key: the parts' orders contradict the order within a process");
  return again;
}

}  // namespace plumb
