// SPDX-License-Identifier: MIT
// A check from end to end: bind and split, decide every partition on all cores, prove what was
// found. Nothing is claimed without evidence: an order is replayed by the verifier, a violation is
// cut down and refuted again by a second engine; without that the verdict is `undecided`.
#include "plumb/check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <mutex>
#include <new>
#include <numeric>
#include <thread>

#include "base/clock.hpp"
#include "check/evidence/evidence.hpp"
#include "check/monitors/cell.hpp"
#include "check/problem/engine.hpp"
#include "check/problem/partition.hpp"
#include "check/property/linearizable/hints.hpp"
#include "check/property/registers/properties.hpp"

namespace plumb {
namespace {

// Runs `work(i)` for every i of `order`, on so many threads. The first exception wins.
template <class Work>
void parallel(const std::vector<std::uint32_t>& order, unsigned jobs, const Work& work) {
  std::atomic<std::size_t> next{0};
  std::exception_ptr failure;
  std::mutex mutex;
  const auto loop = [&] {
    try {
      for (std::size_t i; (i = next.fetch_add(1)) < order.size();) work(order[i]);
    } catch (...) {
      next = order.size();
      const std::lock_guard lock(mutex);
      if (!failure) failure = std::current_exception();
    }
  };
  std::vector<std::jthread> helpers;
  for (unsigned i = 1; i < jobs && i < order.size(); ++i) helpers.emplace_back(loop);
  loop();
  helpers.clear();  // joins
  if (failure) std::rethrow_exception(failure);
}

class Check {
 public:
  Check(const History& history, const CheckOptions& options, CheckProgress& progress)
      : history_(history), options_(options), progress_(progress),
        budget_(options.timeout_seconds, options.memory_bytes, options.interrupt),
        jobs_(options.jobs ? options.jobs : std::max(1u, std::thread::hardware_concurrency())) {}

  Result<CheckReport> run() {
    count();
    progress_.phase = "splitting";
    const auto before = Clock::now();
    Result<Partitioning> split = make_partitions(history_, options_);
    if (!split.ok()) return std::move(split.error());
    parts_ = std::move(*split);
    report_.scope_notes = parts_.notes;
    std::size_t bytes = 0;
    for (const Partition& p : parts_.partitions) bytes += p.problem.bytes();
    budget_.charge(bytes);
    report_.split_seconds = since(before);
    const auto start = Clock::now();
    decide_all();
    report_.seconds = since(start);
    const auto evidence = Clock::now();
    if (Status s = prove(); !s.ok()) return std::move(s.error());
    report_.evidence_seconds = since(evidence);
    report_.peak_bytes = budget_.peak();
    report_.interrupted = options_.interrupt && options_.interrupt->load();
    return std::move(report_);
  }

 private:
  void count() {
    report_.operations = history_.size();
    for (OperationId op = 0; op < history_.size(); ++op)
      ++(history_.returned(op) ? report_.completed : report_.pending);
    if (history_.stuck) report_.property = "linearizable (stuck)";
  }

  void decide_all() {
    auto& partitions = parts_.partitions;
    progress_.phase = "deciding";
    progress_.partitions = partitions.size();
    progress_.operations = history_.size();
    answers_.resize(partitions.size());
    report_.partitions.resize(partitions.size());
    std::vector<std::uint32_t> order(partitions.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      return partitions[a].problem.ops.size() > partitions[b].problem.ops.size();
    });
    EngineOptions engine;
    engine.lru_entries = options_.lru_entries;
    engine.breadth_first = options_.search == "bfs";
    engine.depth_first = options_.search == "dfs";
    parallel(order, jobs_, [&](std::uint32_t i) {
      const auto start = Clock::now();
      PartitionReport& p = report_.partitions[i];
      p.object = partitions[i].object;
      p.keys = partitions[i].keys;
      p.operations = partitions[i].problem.ops.size();
      if (budget_.exhausted()) {
        p.skipped = budget_.stopped() == Budget::Stop::no_longer_needed;
        p.reason = describe_stop(budget_);
        return;
      }
      Answer& answer = answers_[i];
      try {
        answer = decide_one(partitions[i].problem, engine);
      } catch (const std::bad_alloc&) {
        budget_.stop(Budget::Stop::memory);
        answer.reason = "out of memory";
      }
      report_answer(answer, p);
      p.seconds = since(start);
      if (answer.verdict == Verdict::undecided)
        p.skipped = budget_.stopped() == Budget::Stop::no_longer_needed;
      if (answer.verdict == Verdict::violation && !options_.keep_going)
        budget_.stop(Budget::Stop::no_longer_needed);
      ++progress_.partitions_decided;
      progress_.operations_decided += p.operations;
    });
  }

  Answer decide_one(const Problem& problem, const EngineOptions& options) {
    const auto hinted =
        options_.engine == "auto" ? follow_hints(history_, problem) : std::optional<Problem>();
    if (hinted) {
      Answer answer = decide_jit(*hinted, budget_, options);
      if (answer.verdict == Verdict::holds &&
          keeps_hints(history_, problem, answer.witnesses.front())) {
        answer.why_engine = "it follows the order hints";
        return answer;
      }
      hints_refused_ = hints_refused_ || budget_.stopped() == Budget::Stop::none;
    }
    return decide(options_.engine, problem, budget_, options);
  }

  Status prove() {
    if (hints_refused_)
      report_.scope_notes.push_back("no order that explains the results follows the order hints");
    progress_.phase = "proving";
    bool violation = false, undecided = false;
    std::string reason;
    std::size_t first = 0;
    for (std::size_t i = report_.partitions.size(); i-- > 0;) {
      const PartitionReport& p = report_.partitions[i];
      if (p.verdict == Verdict::violation) violation = true, first = i;
      if (p.verdict == Verdict::undecided && !p.skipped) undecided = true, reason = p.reason;
      report_.skipped_partitions += p.skipped;
    }
    if (Status s = verify(); !s.ok()) return s;
    if (violation) return convict(first);
    if (undecided) {
      report_.reason = reason;
      return {};
    }
    report_.verdict = Verdict::holds;
    return merge();
  }

  // Every partition that holds: its witness is replayed.
  Status verify() {
    std::vector<std::uint32_t> order;
    for (std::uint32_t i = 0; i < answers_.size(); ++i)
      if (answers_[i].verdict == Verdict::holds) order.push_back(i);
    std::mutex mutex;
    std::string wrong;
    parallel(order, jobs_, [&](std::uint32_t i) {
      complete(answers_[i]);
      std::string why = verify_witness(parts_.partitions[i].problem, answers_[i]);
      if (why.empty()) return;
      const std::lock_guard lock(mutex);
      wrong = fmt::format("the witness of engine {} is wrong: {}", answers_[i].engine, why);
    });
    if (wrong.empty()) return {};
    return Error{ErrorKind::internal, wrong, "this is a bug in plumb: please report it",
                 history_.file};
  }

  Status merge() {
    if (history_.stuck) {
      for (std::size_t i = 0; i < answers_.size(); ++i) {
        const auto& ops = parts_.partitions[i].problem.ops;
        std::size_t j = 0;
        for (const Problem::Op& op : ops) {
          if (!op.judged) continue;
          std::vector<OperationId> order = answers_[i].witnesses[j++];
          for (OperationId& id : order) id = ops[id].source;
          report_.blocking_witnesses.emplace_back(op.source, std::move(order));
        }
      }
      return {};
    }
    std::vector<std::vector<OperationId>> orders;
    for (Answer& answer : answers_)
      orders.push_back(answer.witnesses.empty() ? std::vector<OperationId>{}
                                                : std::move(answer.witnesses.front()));
    if (auto order = merge_witnesses(history_, parts_, orders)) {
      report_.witness = std::move(*order);
      return {};
    }
    // Locality fails where clocks make operations of one process overlap (merge_witnesses).
    const std::string why = "the parts' orders contradict the order within a process";
    if (options_.partition) {
      CheckOptions whole = options_;
      whole.partition = false;
      if (whole.timeout_seconds > 0)
        whole.timeout_seconds = std::max(0.001, whole.timeout_seconds - since(started_));
      Result<CheckReport> again = Check(history_, whole, progress_).run();
      if (!again.ok()) return std::move(again.error());
      again->seconds += report_.seconds;
      again->split_seconds += report_.split_seconds;
      report_ = std::move(*again);
      report_.scope_notes.push_back("not split by key: " + why);
      return {};
    }
    report_.verdict = Verdict::undecided;
    report_.reason = "every object holds, but " + why;
    return {};
  }

  Status convict(std::size_t index) {
    report_.verdict = Verdict::violation;
    if (!options_.minimise) return {};
    progress_.phase = "minimising";
    // Evidence gets ten seconds, but no more than is left; a part of that is for the report.
    const double left = options_.timeout_seconds - since(started_);
    const double most = options_.timeout_seconds > 0 ? std::clamp(0.9 * left, 0.001, 10.0) : 10;
    Budget budget(most, 0, options_.interrupt);
    const Problem& problem = parts_.partitions[index].problem;
    if (Status s = refute(history_, problem, answers_[index], budget, report_, options_.excerpt);
        !s.ok())
      return s;
    if (report_.verdict == Verdict::violation) say_how_stale(problem, budget);
    return {};
  }

  // Of a read that returned what was once there: whether one write more explains it.
  void say_how_stale(const Problem& problem, Budget& budget) {
    Counterexample& example = *report_.counterexample;
    if (example.culprit == kNone || !was_there(problem, example.culprit)) return;
    // A remark is not worth much: a second, and memory as if it were a small history.
    std::size_t most = resident_bytes() + (std::size_t{128} << 20);
    if (options_.memory_bytes) most = std::min(most, options_.memory_bytes);
    Budget slice(budget.at_most(1), most, options_.interrupt);
    example.stale = staleness(problem, slice);
    if (example.stale == 0) return;
    const std::string what =
        report_.partitions.size() > 1 ? "this part of the history" : "the history";
    const std::string allowed =
        "if reads may return either of the last two values written, " + what;
    example.why.push_back(example.stale == 2
                              ? "The read is stale by one write: " + allowed + " is linearizable."
                              : "Even " + allowed + " is not linearizable.");
  }
  static bool was_there(const Problem& problem, OperationId culprit) {
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

  const History& history_;
  const CheckOptions& options_;
  CheckProgress& progress_;
  const Clock::time_point started_ = Clock::now();
  Budget budget_;
  unsigned jobs_;
  Partitioning parts_;
  std::atomic<bool> hints_refused_{false};
  std::vector<Answer> answers_;
  CheckReport report_;
};

}  // namespace

Result<CheckReport> check(const History& history, const CheckOptions& options,
                          CheckProgress* progress) {
  if (!is_engine(options.engine)) {
    std::string names;
    for (const std::string& name : engine_names()) names += (names.empty() ? "" : ", ") + name;
    return Error{ErrorKind::usage, fmt::format("unknown engine '{}'", options.engine),
                 "one of: " + names};
  }
  if (!is_property(options.property))
    return Error{ErrorKind::usage, fmt::format("unknown property '{}'", options.property),
                 "one of: linearizable, regular, safe, sequential"};
  CheckProgress unused;
  CheckProgress& told = progress ? *progress : unused;
  if (options.property != "linearizable") return check_property(history, options, told);
  return Check(history, options, told).run();
}

}  // namespace plumb
