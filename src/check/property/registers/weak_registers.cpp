// SPDX-License-Identifier: MIT
// Regular and safe, as properties of histories. Each cell is judged by itself, and each of its
// reads; so there is nothing to search: a violation is one read, the last write of the value that
// it returned, and a write that came between the two. What else is needed to see that nothing
// justifies the read (other writes of that value) is found as for any property; the definition is
// asked again, on what is shown and on all.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/text.hpp"
#include "check/evidence/core.hpp"
#include "check/pipeline/pipeline.hpp"
#include "check/property/registers/reads.hpp"
#include "check/property/registers/registers.hpp"
#include "explain/words.hpp"

namespace plumb {
namespace {

// Only real time counts: neither the order of a process where clocks contradict it, nor blocking.
void strip(Problem& problem) {
  problem.stuck = false;
  for (Problem::Op& op : problem.ops) op.judged = false, op.after = kNone;
}

constexpr std::uint64_t kCoreSteps = 2 * kStepsPerSecond;
constexpr std::uint64_t kDefinitionSteps = 5 * kStepsPerSecond;

class WeakRegister final : public Property {
 public:
  WeakRegister(const History& history, const CheckOptions& options)
      : Property(history), options_(options),
        property_(options.property == HistoryProperty::safe ? ReadProperty::safe
                                                            : ReadProperty::regular) {}

  HistoryProperty kind() const override { return options_.property; }

  Result<Partitioning> split() override {
    CheckOptions by_cell = options_;
    by_cell.partition = true;  // the property is defined for one cell
    if (history_.stuck) {      // a stuck history would not be split
      not_stuck_ = history_;
      not_stuck_->stuck = false;
    }
    Result<Partitioning> parts = make_partitions(not_stuck_ ? *not_stuck_ : history_, by_cell);
    if (!parts.ok()) return parts;
    for (Partition& part : parts->partitions) strip(part.problem);
    parts->notes.clear();
    if (history_.stuck) parts->notes.emplace_back(kStuckNote);
    return parts;
  }

  // The one witness says where the value of each operation comes from, as ReadsAnswer::from.
  Answer decide(const Partition& part, Budget& budget) override {
    Answer answer;
    answer.engine = "reads";
    const Cell cell = as_cell(part.problem);
    if (!cell.reason.empty()) {
      answer.reason = cell.reason;
      return answer;
    }
    ReadsAnswer reads = decide_reads(property_, part.problem, cell, budget);
    answer.verdict = reads.verdict;
    answer.reason = reads.reason;
    answer.covered = reads.covered;
    answer.stats.steps = part.problem.events.size();
    if (reads.verdict == Verdict::holds) answer.witnesses.push_back(std::move(reads.from));
    return answer;
  }

  std::string verify(const Partition& part, const Answer& answer) const override {
    return verify_reads_from(property_, part.problem, as_cell(part.problem),
                             answer.witnesses.front());
  }

  std::string merge(const Partitioning& parts, const std::vector<Answer>& answers,
                    CheckReport& report) override {
    for (std::size_t i = 0; i < answers.size(); ++i) {
      const auto& ops = parts.partitions[i].problem.ops;
      for (OperationId op = 0; op < ops.size(); ++op) {
        const OperationId from = answers[i].witnesses.front()[op];
        if (from == kNone) continue;
        report.reads_from.emplace_back(ops[op].source,
                                       from < ops.size() ? ops[from].source : kNone);
      }
    }
    return {};
  }

  Minimised minimise(const Partition& part, const Answer&, Budget& budget) override {
    const Problem& problem = part.problem;
    const Cell cell = as_cell(problem);
    const ReadsAnswer reads = decide_again(problem, cell);
    Answer answer;
    answer.failing_event = problem.ops[reads.culprit].ret;
    answer.core = {reads.culprit};
    if (reads.stale != kNone) answer.core.push_back(reads.stale);
    if (reads.overwriter != kNone) answer.core.push_back(reads.overwriter);
    Budget searching(budget, kCoreSteps);
    const Core core = find_core(problem, answer, searching,
                                [this](const Problem& part, Budget& slice, const EngineOptions&) {
                                  Answer judged;
                                  judged.verdict =
                                      decide_reads(property_, part, as_cell(part), slice).verdict;
                                  return judged;
                                },
                                {.all_count = true});
    Minimised cut;
    set_operations(problem, core.needed, cut);
    cut.culprit = reads.culprit;
    cut.minimal = core.minimal;
    const Problem shown = Forgetting(problem).problem(core.needed);
    const auto culprit = std::find_if(
        shown.ops.begin(), shown.ops.end(),
        [&](const Problem::Op& op) { return op.source == problem.ops[reads.culprit].source; });
    Budget slice(budget, kDefinitionSteps);
    const Verdict by_itself =
        read_by_definition(property_, shown, as_cell(shown),
                           static_cast<OperationId>(culprit - shown.ops.begin()), &slice);
    const Verdict among_all = read_by_definition(property_, problem, cell, cut.culprit, &slice);
    if (by_itself == Verdict::holds || among_all == Verdict::holds)
      cut.contradicted_by = "the definition";
    else if (among_all == Verdict::violation) cut.confirmed_by = "the definition";
    cut.self_contained = by_itself == Verdict::violation;
    return cut;
  }

  bool explain(const Partition& part, const Minimised&, Counterexample& example, Budget&) override {
    const Cell cell = as_cell(part.problem);
    const ReadsAnswer reads = decide_again(part.problem, cell);
    for (const CellValue v : reads.possible) example.possible_results.push_back(cell.values[v]);
    example.why = explain(part.problem, cell, reads);
    return true;
  }

 private:
  // One pass over the events, which is not worth remembering.
  ReadsAnswer decide_again(const Problem& problem, const Cell& cell) const {
    Budget unlimited;
    return decide_reads(property_, problem, cell, unlimited);
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

  const CheckOptions& options_;
  ReadProperty property_;
  std::optional<History> not_stuck_;
};

}  // namespace

Result<CheckReport> check_reads(const History& history, const CheckOptions& options,
                                CheckProgress& progress) {
  if (options.engine != "auto")
    return Error{
        ErrorKind::usage,
        fmt::format("--engine {} with --property {}", options.engine, to_string(options.property)),
        "engines are for linearizable and sequential", history.file};
  WeakRegister property(history, options);
  return Pipeline(property, history, options, progress).run();
}

}  // namespace plumb
