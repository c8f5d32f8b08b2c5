// SPDX-License-Identifier: MIT
// Sequential consistency: some order of all operations that keeps the order of each process, though
// not real time, explains every result (Lamport, 1979). To decide it is NP-complete, for registers,
// too (Gibbons & Korach, "Testing shared memories", 1997), so this is a search with a budget.
//
// The history is rewritten: all operations are called before any returns, so that real time says
// nothing, and `after` links each operation to the one before it in its process. That is a problem
// like any other, and every general engine decides it; so the order is replayed by the usual
// verifier, and a violation is cut down and confirmed as usual. But the engines count on few open
// operations, and here all are: chains.cpp has an engine for that.
//
// The property is not local: objects that are sequentially consistent one by one need not be so
// together. So nothing is split by key; several objects are decided one by one, which is enough for
// a violation, and if their orders can be merged, for `holds`; else it is undecided. A history that
// is linearizable is sequentially consistent by the same order, and that is tried first, because it
// is fast.
#include "check/property/sequential/sequential.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "check/evidence/merge_orders.hpp"
#include "check/pipeline/pipeline.hpp"
#include "check/property/linearizable/linearizable.hpp"
#include "explain/words.hpp"

namespace plumb {
namespace {

constexpr std::uint64_t kLinearizableSteps = 10 * kStepsPerSecond;  // to see if it is even that
constexpr std::uint64_t kEarliestSteps = 5 * kStepsPerSecond;       // to find the earliest failure
constexpr std::uint64_t kPrefixSteps = 1 * kStepsPerSecond;         // for one prefix of these

// The shortest prefix, by recorded returns, that is a violation whatever the operations behind it
// do. Longer ones are violations, too, so it is found by halving.
void find_failing_event(const Problem& problem, Budget& budget, Answer& answer) {
  std::uint32_t low = static_cast<std::uint32_t>(problem.ops.size());  // the first return
  auto high = static_cast<std::uint32_t>(problem.events.size());
  if (low == high) return;
  --high;
  while (low < high) {
    const std::uint32_t middle = low + (high - low) / 2;
    Budget slice(budget, kPrefixSteps);
    if (decide_chains(prefix(problem, middle), slice).verdict == Verdict::violation) high = middle;
    else low = middle + 1;
  }
  answer.failing_event = high;  // at worst too late: a violation, but not the earliest
}

class Sequential final : public Property {
 public:
  Sequential(const History& history, const CheckOptions& options)
      : Property(history), options_(options) {}

  HistoryProperty kind() const override { return HistoryProperty::sequential; }

  Result<Partitioning> split() override {
    CheckOptions whole = options_;
    whole.partition = false;
    Result<Partitioning> parts = make_partitions(history_, whole);
    if (!parts.ok()) return parts;
    for (Partition& part : parts->partitions)
      part.problem = without_real_time(history_, part.problem);
    parts->notes.clear();
    if (history_.stuck) parts->notes.emplace_back(kStuckNote);
    return parts;
  }

  Answer decide(const Partition& part, Budget& budget) override {
    return options_.engine == "auto"
               ? decide_chains(part.problem, budget)
               : plumb::decide(options_.engine, part.problem, budget, engine_options(options_));
  }

  std::string verify(const Partition& part, const Answer& answer) const override {
    return verify_witness(part.problem, answer);
  }

  std::string merge(const Partitioning& parts, const std::vector<Answer>& answers,
                    CheckReport& report) override {
    std::vector<std::vector<OperationId>> orders;
    for (const Answer& answer : answers) orders.push_back(answer.witnesses.front());
    auto order = merge_by_process(history_, parts, orders);
    if (!order)
      return "each object is sequentially consistent, but the orders found for them do "
             "not fit together";
    report.witness = std::move(*order);
    return {};
  }

  Minimised minimise(const Partition& part, const Answer& answer, Budget& budget) override {
    Answer earliest = answer;
    Budget slice(budget, kEarliestSteps, 1.0 / 3);
    find_failing_event(part.problem, slice, earliest);
    return plumb::minimise(part.problem, earliest, budget, {decide_chains, 200'000, false});
  }

  void confirm(const Partition& part, const Answer& answer, std::uint64_t factor, Budget& budget,
               Minimised& cut) override {
    confirm_whole(part.problem, answer, factor, budget, cut);
  }

  bool explain(const Partition&, const Minimised& cut, Counterexample& example, Budget&) override {
    const std::size_t n = example.operations.size();
    if (cut.confirmed_by.empty() && n > kReadable) return false;
    std::string what = "their results";
    if (example.culprit != kNone) {
      const Label& label = history_.labels[history_.label[example.culprit]];
      what = fmt::format("why {} returned {}", report::call_words(history_, example.culprit),
                         report::words(label.result));
    }
    example.why.push_back(
        n == 1 ? fmt::format("Nothing explains {}.", what)
               : fmt::format("No order of these {} that keeps the order of each process explains "
                             "{}, even if real time is ignored.",
                             text::count_words(n, "operation"), what));
    return true;
  }

 private:
  static constexpr std::size_t kReadable = 100;  // operations; more of them explain nothing

  const CheckOptions& options_;
};

Result<CheckReport> try_linearizable(const History& history, const CheckOptions& options,
                                     CheckProgress& progress) {
  CheckOptions linear = options;
  linear.property = HistoryProperty::linearizable;
  linear.engine = "auto";
  linear.minimise = linear.keep_going = false;
  linear.timeout_seconds = options.timeout_seconds / 3;
  linear.steps = options.steps ? std::min(options.steps, kLinearizableSteps) : kLinearizableSteps;
  Result<CheckReport> report = check_linearizable(history, linear, progress);
  if (!report.ok()) return report;
  report->property = HistoryProperty::sequential;
  if (report->verdict == Verdict::holds)
    report->scope_notes.push_back("it is even linearizable, by the same order");
  return report;
}

}  // namespace

Problem without_real_time(const History& history, const Problem& problem) {
  Problem free = problem;
  free.stuck = false;
  free.events.clear();
  std::vector<OperationId> last(history.processes.size(), kNone);
  for (OperationId op = 0; op < free.ops.size(); ++op) {
    Problem::Op& o = free.ops[op];
    o.judged = false;
    o.call = op;
    // Operations of one process are numbered in the order in which it made them.
    OperationId& before = last[history.process[o.source]];
    o.after = before;
    if (o.completed()) before = op;
    free.events.emplace_back(op, false);
  }
  for (const Event event : problem.events) {
    if (!event.is_return()) continue;
    free.ops[event.operation()].ret = static_cast<std::uint32_t>(free.events.size());
    free.events.push_back(event);
  }
  return free;
}

Result<CheckReport> check_sequential(const History& history, const CheckOptions& options,
                                     CheckProgress& progress) {
  const auto start = Clock::now();
  if (!history.stuck) {
    Result<CheckReport> linearizable = try_linearizable(history, options, progress);
    if (!linearizable.ok() || linearizable->verdict == Verdict::holds) return linearizable;
  }
  const CheckOptions rest = with_time_left(options, start);
  Sequential property(history, rest);
  return Pipeline(property, history, rest, progress).run();
}

}  // namespace plumb
