// SPDX-License-Identifier: MIT
// A check of regular or safe from end to end. Each cell is judged by itself, and each of its reads;
// so there is nothing to search and nothing to minimise: a violation is one read, the last write of
// the value that it returned, and a write that came between the two. (That the others do not help
// is what decide_reads found; the definition is asked again, on the shown operations and on all.)
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/clock.hpp"
#include "base/text.hpp"
#include "check/problem/partition.hpp"
#include "check/property/registers/properties.hpp"
#include "check/property/registers/reads.hpp"
#include "explain/words.hpp"

namespace plumb {
namespace {

class ReadsCheck {
 public:
  ReadsCheck(const History& history, const CheckOptions& options, CheckProgress& progress)
      : history_(history), options_(options), progress_(progress),
        property_(options.property == "safe" ? ReadProperty::safe : ReadProperty::regular),
        budget_(options.timeout_seconds, options.memory_bytes, options.interrupt),
        report_(begin_report(history, options)) {}

  Result<CheckReport> run() {
    progress_.phase = "splitting";
    const auto before = Clock::now();
    CheckOptions by_cell = options_;
    by_cell.partition = true;          // the property is defined for one cell
    std::optional<History> not_stuck;  // a stuck history would not be split
    if (history_.stuck) {
      not_stuck = history_;
      not_stuck->stuck = false;
    }
    Result<Partitioning> split = make_partitions(not_stuck ? *not_stuck : history_, by_cell);
    if (!split.ok()) return std::move(split.error());
    for (Partition& p : split->partitions) strip(p.problem);
    report_.split_seconds = since(before);
    progress_.phase = "deciding";
    progress_.partitions = split->partitions.size();
    progress_.operations = history_.size();
    const auto start = Clock::now();
    bool violation = false;
    std::string undecided;
    for (const Partition& p : split->partitions) {
      PartitionReport& part = report_.partitions.emplace_back();
      part.object = p.object;
      part.keys = p.keys;
      part.operations = p.problem.ops.size();
      if (violation && !options_.keep_going) {
        part.skipped = true;
        part.reason = "another partition is a violation";
        ++report_.skipped_partitions;
        continue;
      }
      const auto begin = Clock::now();
      if (Status s = decide(p.problem, part, !violation); !s.ok()) return std::move(s.error());
      part.seconds = since(begin);
      if (part.verdict == Verdict::violation) violation = true;
      if (part.verdict == Verdict::undecided) undecided = part.reason;
      ++progress_.partitions_decided;
      progress_.operations_decided += part.operations;
    }
    report_.seconds = since(start);
    report_.peak_bytes = budget_.peak();
    report_.interrupted = options_.interrupt && options_.interrupt->load();
    if (violation) report_.verdict = Verdict::violation;
    else if (!undecided.empty()) report_.reason = undecided;
    else report_.verdict = Verdict::holds;
    if (report_.verdict != Verdict::holds) report_.reads_from.clear();
    return std::move(report_);
  }

 private:
  // Only real time counts: neither the order of a process where clocks contradict it, nor blocking.
  static void strip(Problem& problem) {
    problem.stuck = false;
    for (Problem::Op& op : problem.ops) op.judged = false, op.after = kNone;
  }

  Status decide(const Problem& problem, PartitionReport& part, bool first) {
    part.engine = "reads";
    const Cell cell = as_cell(problem);
    if (!cell.reason.empty()) {
      part.reason = cell.reason;
      return {};
    }
    ReadsAnswer answer = decide_reads(property_, problem, cell, budget_);
    part.verdict = answer.verdict;
    part.reason = answer.reason;
    part.covered = answer.covered;
    part.steps = problem.events.size();
    if (answer.verdict == Verdict::violation) return refute(problem, cell, answer, part, first);
    if (answer.verdict != Verdict::holds) return {};
    if (std::string wrong = verify_reads_from(property_, problem, cell, answer.from);
        !wrong.empty())
      return internal("the map from reads to writes is wrong: " + wrong);
    for (OperationId op = 0; op < problem.ops.size(); ++op) {
      if (answer.from[op] == kNone) continue;
      const OperationId from = answer.from[op];
      report_.reads_from.emplace_back(problem.ops[op].source,
                                      from < problem.ops.size() ? problem.ops[from].source : kNone);
    }
    return {};
  }

  Status refute(const Problem& problem, const Cell& cell, const ReadsAnswer& answer,
                PartitionReport& part, bool first) {
    std::vector<OperationId> shown = {answer.culprit};
    if (answer.stale != kNone) shown.push_back(answer.stale);
    if (answer.overwriter != kNone) shown.push_back(answer.overwriter);
    std::sort(shown.begin(), shown.end());
    const Problem small = restrict(problem, shown);
    const auto at = std::find(shown.begin(), shown.end(), answer.culprit) - shown.begin();
    Budget slice(budget_.at_most(5), 0, options_.interrupt);
    const Verdict alone =
        read_by_definition(property_, small, as_cell(small), static_cast<OperationId>(at), &slice);
    const Verdict among_all = read_by_definition(property_, problem, cell, answer.culprit, &slice);
    if (alone == Verdict::holds || among_all == Verdict::holds)
      return internal(fmt::format("operation {} is {} by the definition",
                                  problem.ops[answer.culprit].source, options_.property));
    if (alone == Verdict::undecided || among_all == Verdict::undecided) {
      part.verdict = Verdict::undecided;
      part.reason = "a violation was found, but the definition could not confirm it in time";
      return {};
    }
    if (!first || !options_.minimise) return {};
    Counterexample example;
    for (const OperationId op : shown) example.operations.push_back(problem.ops[op].source);
    example.culprit = problem.ops[answer.culprit].source;
    example.minimal = true;
    example.confirmed_by = "the definition";
    for (const CellValue v : answer.possible) example.possible_results.push_back(cell.values[v]);
    example.why = explain(problem, cell, answer);
    report_.counterexample = std::move(example);
    return {};
  }

  std::vector<std::string> explain(const Problem& problem, const Cell& cell,
                                   const ReadsAnswer& answer) const {
    const auto name = [&](OperationId op) {
      return report::call_words(history_, problem.ops[op].source);
    };
    const auto value = [&](CellValue v) { return report::words(cell.values[v]); };
    const std::string read = name(answer.culprit);
    const CellValue seen = cell.move(problem, answer.culprit).from;
    std::vector<std::string> why;
    std::string sentence = fmt::format("{} returned {}", read, value(seen));
    if (answer.overwriter == kNone) {
      sentence +=
          fmt::format(", but nothing that was called before it returned wrote {}.", value(seen));
    } else if (answer.stale == kNone) {
      sentence += fmt::format(", the initial value, but {} had returned before it was called.",
                              name(answer.overwriter));
    } else {
      const std::string stale =
          answer.stale_writes == 1
              ? name(answer.stale)
              : fmt::format("the last of {} writes of {}", text::count_words(answer.stale_writes),
                            value(seen));
      sentence += fmt::format(
          ", but {} was called after {} had returned, and returned before {} was called.",
          name(answer.overwriter), stale, read);
    }
    why.push_back(std::move(sentence));
    constexpr std::size_t kMost = 6;
    std::vector<std::string> items;
    for (const CellValue v : answer.possible) {
      if (items.size() == kMost && answer.possible.size() > kMost + 1) {
        items.push_back(fmt::format("{} others", answer.possible.size() - items.size()));
        break;
      }
      items.push_back(value(v));
    }
    why.push_back(fmt::format("{}{} could only have returned {}.",
                              property_ == ReadProperty::safe ? "No write overlaps it, so " : "",
                              read, text::list_words(items, "or")));
    return why;
  }

  Error internal(std::string message) const {
    return {ErrorKind::internal, std::move(message), "this is a bug in plumb: please report it",
            history_.file};
  }

  const History& history_;
  const CheckOptions& options_;
  CheckProgress& progress_;
  ReadProperty property_;
  Budget budget_;
  CheckReport report_;
};

}  // namespace

Result<CheckReport> check_reads(const History& history, const CheckOptions& options,
                                CheckProgress& progress) {
  if (options.engine != "auto")
    return Error{ErrorKind::usage,
                 fmt::format("--engine {} with --property {}", options.engine, options.property),
                 "engines are for linearizable and sequential", history.file};
  return ReadsCheck(history, options, progress).run();
}

}  // namespace plumb
