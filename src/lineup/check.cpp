// SPDX-License-Identifier: MIT
#include "lineup/check.hpp"

#include <algorithm>
#include <utility>

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
class SpecificationJudge {
 public:
  // Counts go to `result`, and the reason if no history can be judged.
  SpecificationJudge(const Runner& runner, const Object& object, const Matrix& test, bool classic,
                     CheckResult& result)
      : runner_(runner), object_(object), test_(test), classic_(classic), result_(result) {}

  // Returns no failure if the history could not be judged: `undecided` then says why.
  Judgement judge(const ObservedHistory& history, Cut& undecided) {
    const RelaxedHistory relaxed = relaxed_history_of(test_, object_, history, runner_.results());
    const std::size_t optional = relaxed.optional.size();
    bool is_right = holds(relaxed, {});
    if (!is_right && optional > 0 && may_go_on()) is_right = holds(relaxed, relaxed.optional);
    if (!is_right && optional > kMostOptional && may_go_on())
      unknown_ = unjudged(StopReason::not_applicable, "too many optional operations (limit 12)");
    if (optional <= kMostOptional) is_right = is_right || holds_without_some(relaxed);
    if (is_right || !result_.reason.empty()) return {};
    if (unknown_) {
      if (!undecided || unknown_.ends_all()) undecided = unknown_;
      return {};
    }
    return {history.stuck && !classic_ ? Failure::blocked : Failure::unexplained, -1};
  }

 private:
  // False: the next question would be cut as well.
  bool may_go_on() const { return result_.reason.empty() && !unknown_.ends_all(); }

  // Without some of the optional operations, but not all.
  bool holds_without_some(const RelaxedHistory& relaxed) {
    const std::size_t optional = relaxed.optional.size();
    const std::uint64_t all = (std::uint64_t{1} << optional) - 1;
    for (std::uint64_t out = 1; out < all && may_go_on(); ++out) {
      std::vector<int> left_out;
      for (std::size_t i = 0; i < optional; ++i)
        if ((out >> i & 1) != 0) left_out.push_back(relaxed.optional[i]);
      if (holds(relaxed, left_out)) return true;
    }
    return false;
  }

  bool holds(const RelaxedHistory& relaxed, const std::vector<int>& left_out) {
    plumb::History recorded =
        to_history(test_, object_, without(relaxed.history, left_out), runner_.results(), true);
    if (classic_) recorded.stuck = false;
    const Result<QuasiReport> report = decide(result_.by, recorded, false, runner_.limits());
    if (!report.ok()) {
      // What the class returns is nothing that the specification could.
      const bool mismatch = report.error().kind == ErrorKind::bad_input;
      result_.reason = mismatch
                           ? "the class does not fit --spec " + result_.by.specification->name() +
                                 ": " + report.error().message
                           : report.error().message;
      if (mismatch) result_.error = ErrorKind::usage;
      return false;
    }
    const CheckReport& checked = report->check;
    if (checked.verdict == Verdict::undecided) {
      unknown_ = unjudged(checked.stopped, checked.reason);
      return false;
    }
    if (result_.by.counts_permutations && left_out.empty() && !count_all(recorded, checked.verdict))
      return false;
    return checked.verdict == Verdict::holds;
  }

  // False: not all were counted.
  bool count_all(const plumb::History& recorded, Verdict verdict) {
    const PermutationCount count = count_permutations(result_.by, recorded, runner_.limits());
    if (count.stopped != StopReason::none) {
      unknown_ = unjudged(count.stopped, "its permutations could not be counted");
      return false;
    }
    result_.sequentializations += count.sequentializations;
    result_.permutations += count.permutations;
    if (count.verdict != verdict)
      result_.reason = "Algorithms 1 and 2 of Round-Up decide a history otherwise";
    return true;
  }

  const Runner& runner_;
  const Object& object_;
  const Matrix& test_;
  const bool classic_;
  CheckResult& result_;
  Cut unknown_;  // why some question has no answer
};

void fail(CheckResult& result, Failure failure) {
  result.verdict = CheckResult::TestVerdict::fail;
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
  result.verdict = result.phase1.end == RunResult::End::unusable
                       ? CheckResult::TestVerdict::unusable
                       : CheckResult::TestVerdict::undecided;
  result.cut = result.phase1.cut;
  result.reason = result.phase1.reason;
  return false;
}

}  // namespace

void Alarms::add(const Alarms& more) {
  if (schedule.empty()) {
    schedule = more.schedule;
    heap = more.heap;
    points = more.points;
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
  // Without a stage: all of them.
  Checker(Runner& runner, const Object& object, const Matrix& test, const CheckSettings& settings,
          const Stage* stage, TestMemory& memory)
      : runner_(runner), object_(object), test_(test), settings_(settings), stage_(stage),
        memory_(memory), apart_(spread(test, object)) {}

  CheckResult run() {
    result_.by = settings_.by;
    if (settings_.by || specify()) {
      run_concurrently();
      while (result_.history && !result_.serially && runner_.calls_may_be_late() &&
             !is_confirmed()) {
        runner_.distrust();
        run_concurrently();
      }
      if (result_.phase2.blind >= 0) cut_by(why_blind());
      else if (!result_.reason.empty()) result_.verdict = CheckResult::TestVerdict::unusable;
      else if (result_.verdict != CheckResult::TestVerdict::fail) conclude();
    }
    result_.read_thread_id = runner_.read_thread_id();
    return std::move(result_);
  }

 private:
  // False: what the class does serially is no specification.
  bool specify() {
    const bool is_known = memory_.serial.has_value();
    if (is_known) result_.serial = *std::exchange(memory_.serial, std::nullopt);
    if (is_known) return true;
    if (!synthesise(runner_, apart_, result_) || !is_deterministic()) return false;
    if (memory_.stages > 0) result_.phase1 = {};
    return true;
  }

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
    if (settings_.by) {
      return SpecificationJudge(runner_, object_, test_, settings_.classic, result_)
          .judge(seen, undecided_);
    }
    const ObservedHistory history = spread(seen, test_, object_, apart_);
    const Leniency leniency = leniency_of(test_, object_, seen, apart_, result_.serial, results);
    const Witness witness(apart_.test, history, leniency);
    Judgement judgement = judge(witness, history, result_.serial, settings_.classic);
    if (judgement.culprit >= 0) judgement.culprit = apart_.before(judgement.culprit);
    return judgement;
  }

  bool is_enough(const ObservedHistory& seen) {
    const Judgement judgement = judge_one(seen);
    if (judgement.failure == Failure::none) return !result_.reason.empty() || undecided_.ends_all();
    ++result_.violating;
    if (!result_.history) {
      result_.history = seen;
      result_.culprit = judgement.culprit;
      fail(result_, judgement.failure);
    }
    return !settings_.all_histories;
  }

  void run_concurrently() {
    if (settings_.serial_first && memory_.stages == 0) {
      result_.phase2 = runner_.concurrent(test_, Runner::kSerial, [&](const ObservedHistory& seen) {
        return !is_enough(seen) && !result_.history;
      });
    }
    result_.serially = result_.history || result_.phase2.end == RunResult::End::finding;
    if (result_.phase2.end != RunResult::End::complete || result_.history) return;
    const RunResult before = result_.phase2;
    const auto on_history = [&](const ObservedHistory& seen) {
      ++result_.histories;
      result_.stuck_histories += seen.stuck ? 1 : 0;
      return !is_enough(seen);
    };
    result_.phase2 = run_stage(memory_, on_history);
    result_.phase2.executions += before.executions;
    result_.phase2.seconds += before.seconds;
    result_.serially = settings_.preemptions == Runner::kSerial;
  }

  RunResult run_stage(TestMemory& memory, const Runner::OnHistory& on_history) {
    return stage_ == nullptr ? runner_.concurrent(test_, settings_.preemptions, on_history)
                             : runner_.run_stage(test_, *stage_, memory, on_history);
  }

  // Between its call and its return nothing could happen: its histories say nothing.
  Cut why_blind() const {
    const Cell cell = cells(test_)[static_cast<std::size_t>(result_.phase2.blind)];
    return Cut::because(object_.invocations[static_cast<std::size_t>(cell.invocation)].text +
                        " passes no scheduling point: " + runner_.unseen() +
                        " (compile all of it with that flag, or leave a method out by --without)");
  }

  void cut_by(const Cut& cut) {
    forget_violation();
    result_.verdict = CheckResult::TestVerdict::undecided;
    result_.cut = cut;
  }

  void forget_violation() {
    result_.verdict = CheckResult::TestVerdict::pass;
    result_.failure = Failure::none;
    result_.history.reset();
    result_.violating = result_.histories = result_.stuck_histories = 0;
    result_.phase2 = {};
  }

  // An operation may have taken effect unseen before its first visible step, where its call is in
  // the history: then it is no history of the test. False: it is forgotten.
  bool is_confirmed() {
    bool is_seen_again = false;
    RunResult again;
    // A thread that is switched to for its first visible step can as well be switched to for the
    // call before it: so as many preemptions suffice as a rule.
    for (const bool freely : {false, true}) {
      TestMemory memory = memory_;
      runner_.confirm(true, freely);
      again = run_stage(memory, [&](const ObservedHistory& seen) {
        is_seen_again = judge_one(seen).failure != Failure::none;
        return !is_seen_again;
      });
      runner_.confirm(false, freely);
      const bool is_finding = again.end == RunResult::End::finding;
      if (is_seen_again || (is_finding && freely)) return true;
      if (again.end == RunResult::End::cut) break;
    }
    forget_violation();
    if (again.end != RunResult::End::cut) return false;
    cut_by(again.cut);
    return true;
  }

  // No history is a violation.
  void conclude() {
    switch (result_.phase2.end) {
      case RunResult::End::complete:
      case RunResult::End::stopped:
        if (!undecided_) break;
        result_.verdict = CheckResult::TestVerdict::undecided;
        result_.cut = undecided_;
        break;
      case RunResult::End::finding: fail(result_, result_.phase2); break;
      case RunResult::End::cut:
        result_.verdict = CheckResult::TestVerdict::undecided;
        result_.cut = result_.phase2.cut;
        break;
      case RunResult::End::unusable:
        result_.verdict = CheckResult::TestVerdict::unusable;
        result_.reason = result_.phase2.reason;
        break;
    }
  }

  Runner& runner_;
  const Object& object_;
  const Matrix& test_;
  const CheckSettings& settings_;
  const Stage* const stage_;
  TestMemory& memory_;
  const Spread apart_;
  CheckResult result_;
  Cut undecided_;  // why some history was not judged
};

}  // namespace

CheckResult check(Runner& runner, const Object& object, const Matrix& test,
                  const CheckSettings& settings) {
  TestMemory memory;
  return Checker(runner, object, test, settings, nullptr, memory).run();
}

CheckResult check_stage(Runner& runner, const Object& object, const Matrix& test,
                        const CheckSettings& settings, const Stage& stage, TestMemory& memory) {
  return Checker(runner, object, test, settings, &stage, memory).run();
}

}  // namespace plumb::lineup
