// SPDX-License-Identifier: MIT
#include "lineup/check.hpp"

#include <algorithm>

#include "lineup/relaxed.hpp"
#include "lineup/to_history.hpp"
#include "lineup/witness.hpp"

namespace plumb::lineup {
namespace {

// Lines 7 to 16: nothing, or what is wrong with the history.
struct Judgement {
  Failure failure = Failure::none;
  int culprit = -1;
};

Judgement judge(const Witness& witness, const ObservedHistory& history,
                const SerialHistories& serial, bool classic) {
  if (!history.stuck) return {witness.find(serial) ? Failure::none : Failure::unexplained, -1};
  if (classic) return {witness.find_classic(serial) ? Failure::none : Failure::unexplained, -1};
  for (const int pending : witness.pending()) {
    if (!witness.find_stuck(serial, pending)) return {Failure::blocked, pending};
  }
  return {};
}

// Of so many operations that may have done nothing all subsets are tried.
constexpr std::size_t kMostOptional = 12;

// The same against a given specification: nothing is wrong if it allows what happened with some of
// those that may have done nothing left out. Mostly that is none of them, or all.
Judgement judge_by(const Matrix& test, const Object& object, const ObservedHistory& history,
                   const Results& results, bool classic, CheckResult& result,
                   std::string& undecided) {
  const Question question = question_of(test, object, history, results);
  const std::size_t optional = question.optional.size();
  const std::uint64_t all = (std::uint64_t{1} << std::min(optional, kMostOptional)) - 1;
  std::string unknown;
  // `out`: bits of those that are left out.
  const auto holds = [&](std::uint64_t out) {
    std::vector<int> left_out;
    for (std::size_t i = 0; i < optional; ++i) {
      if (out == all || (out >> i & 1) != 0) left_out.push_back(question.optional[i]);
    }
    plumb::History recorded =
        to_history(test, object, without(question.history, left_out), results, true);
    if (classic) recorded.stuck = false;
    const Result<QuasiReport> report = decide(result.by, recorded, false);
    if (!report.ok()) {
      result.reason = report.error().message;
      return false;
    }
    if (result.by.counts_permutations && out == 0) {
      const PermutationCount count = count_permutations(result.by, recorded);
      result.sequentializations += count.sequentializations;
      result.permutations += count.permutations;
      if (count.verdict != report->check.verdict)
        result.reason = "Algorithms 1 and 2 of Round-Up decide a history otherwise";
    }
    if (report->check.verdict == Verdict::undecided) unknown = report->check.reason;
    return report->check.verdict == Verdict::holds;
  };
  bool is_right = holds(0);
  if (optional > 0) is_right = is_right || holds(all);
  if (optional > kMostOptional) {
    if (!is_right) unknown = "too many optional operations (limit 12)";
  } else {
    for (std::uint64_t out = 1; out < all && !is_right && result.reason.empty(); ++out)
      is_right = holds(out);
  }
  if (is_right || !result.reason.empty()) return {};
  if (!unknown.empty()) {
    undecided = unknown;
    return {};
  }
  return {history.stuck && !classic ? Failure::blocked : Failure::unexplained, -1};
}

void fail(CheckResult& result, Failure failure) {
  result.verdict = CheckResult::Verdict::fail;
  result.failure = failure;
}

void fail(CheckResult& result, const RunResult& found) {
  fail(result, Failure::finding);
  result.finding = found.finding;
  result.what = found.what;
}

// Phase 1. Without all serial histories nothing can be called a violation: then it is undecided.
bool synthesise(Runner& runner, const Spread& apart, CheckResult& result) {
  result.serial.left_out = runner.results().find(kLeftOut);
  result.phase1 = runner.serial(apart.test, [&](const ObservedHistory& history) {
    result.serial.add(history);
    return true;
  });
  if (result.phase1.end == RunResult::End::complete) return true;
  if (result.phase1.end == RunResult::End::finding) {
    fail(result, result.phase1);
    return false;
  }
  result.verdict = result.phase1.end == RunResult::End::unusable ? CheckResult::Verdict::unusable
                                                                 : CheckResult::Verdict::undecided;
  result.cut = result.phase1.cut;
  result.reason = result.phase1.reason;
  return false;
}

}  // namespace

void Alarms::add(const Alarms& more) {
  if (schedule.empty()) {
    schedule = more.schedule;
    heap = more.heap;
  }
  executions += more.executions;
  racy += more.racy;
  cyclic += more.cyclic;
  cut += more.cut;
}

bool is_violation(const Matrix& test, const ObservedHistory& history, const SerialHistories& serial,
                  bool classic, const Leniency& leniency) {
  const Witness witness(test, history, leniency);
  const auto among = [&](const std::vector<SerialHistory>& all, std::optional<int> pending) {
    return std::ranges::any_of(
        all, [&](const SerialHistory& s) { return witness.is_witness(s, pending); });
  };
  if (!history.stuck) return !among(serial.full(), {});
  if (classic) return !witness.find_classic(serial);
  return std::ranges::any_of(witness.pending(),
                             [&](int pending) { return !among(serial.stuck(), pending); });
}

namespace {

// Check(X, m), a phase after the other.
class Checker {
 public:
  Checker(Runner& runner, const Object& object, const Matrix& test, const CheckSettings& settings)
      : runner_(runner), object_(object), test_(test), settings_(settings),
        apart_(spread(test, object)) {}

  CheckResult run() {
    if (settings_.by) result_.by = settings_.by;
    else if (!synthesise(runner_, apart_, result_) || !is_deterministic()) return result_;
    run_concurrently();
    if (!result_.reason.empty()) result_.verdict = CheckResult::Verdict::unusable;
    else if (result_.verdict != CheckResult::Verdict::fail) conclude();
    return result_;
  }

 private:
  // Line 4.
  bool is_deterministic() {
    const std::vector<Cell> all = cells(apart_.test);
    result_.fork = result_.serial.nondeterminism([&](int operation) {
      const int invocation = all[static_cast<std::size_t>(operation)].invocation;
      const Invocation& it = object_.invocations[static_cast<std::size_t>(invocation)];
      return settings_.nondeterministic.contains(it.method);
    });
    if (!result_.fork) return true;
    result_.fork = {apart_.before(result_.fork->first), apart_.before(result_.fork->second)};
    fail(result_, Failure::nondeterministic);
    return false;
  }

  Judgement judge_one(const ObservedHistory& seen) {
    const Results& results = runner_.results();
    if (settings_.by)
      return judge_by(test_, object_, seen, results, settings_.classic, result_, undecided_);
    const ObservedHistory history = spread(seen, test_, object_, apart_);
    const Leniency leniency = leniency_of(test_, object_, seen, apart_, result_.serial, results);
    const Witness witness(apart_.test, history, leniency);
    Judgement judgement = judge(witness, history, result_.serial, settings_.classic);
    if (judgement.culprit >= 0) judgement.culprit = apart_.before(judgement.culprit);
    return judgement;
  }

  bool is_enough(const ObservedHistory& seen) {
    const Judgement judgement = judge_one(seen);
    if (judgement.failure == Failure::none) return !result_.reason.empty();
    ++result_.violating;
    if (!result_.history) {
      result_.history = seen;
      result_.culprit = judgement.culprit;
      fail(result_, judgement.failure);
    }
    return !settings_.all_histories;
  }

  void run_concurrently() {
    if (settings_.serial_first) {
      result_.phase2 = runner_.concurrent(test_, Runner::kSerial, [&](const ObservedHistory& seen) {
        return !is_enough(seen) && !result_.history;
      });
    }
    result_.serially = result_.history || result_.phase2.end == RunResult::End::finding;
    if (result_.phase2.end != RunResult::End::complete || result_.history) return;
    const RunResult before = result_.phase2;
    result_.phase2 =
        runner_.concurrent(test_, settings_.preemptions, [&](const ObservedHistory& seen) {
          ++result_.histories;
          result_.stuck_histories += seen.stuck ? 1 : 0;
          return !is_enough(seen);
        });
    result_.phase2.executions += before.executions;
    result_.phase2.seconds += before.seconds;
    result_.serially = settings_.preemptions == Runner::kSerial;
  }

  // No history is a violation.
  void conclude() {
    switch (result_.phase2.end) {
      case RunResult::End::complete:
      case RunResult::End::stopped:
        if (undecided_.empty()) break;
        result_.verdict = CheckResult::Verdict::undecided;
        result_.cut = Cut::because("a history could not be judged: " + undecided_);
        break;
      case RunResult::End::finding: fail(result_, result_.phase2); break;
      case RunResult::End::cut:
        result_.verdict = CheckResult::Verdict::undecided;
        result_.cut = result_.phase2.cut;
        break;
      case RunResult::End::unusable:
        result_.verdict = CheckResult::Verdict::unusable;
        result_.reason = result_.phase2.reason;
        break;
    }
  }

  Runner& runner_;
  const Object& object_;
  const Matrix& test_;
  const CheckSettings& settings_;
  const Spread apart_;
  CheckResult result_;
  std::string undecided_;  // of some history
};

}  // namespace

CheckResult check(Runner& runner, const Object& object, const Matrix& test,
                  const CheckSettings& settings) {
  return Checker(runner, object, test, settings).run();
}

}  // namespace plumb::lineup
