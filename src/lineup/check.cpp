// SPDX-License-Identifier: MIT
#include "lineup/check.hpp"

#include <algorithm>

#include "lineup/witness.hpp"

namespace plumb::lineup {
namespace {

// Lines 7 to 16: nothing, or what is wrong with the history.
struct Judgement {
  Failure failure = Failure::kNone;
  int culprit = -1;
};

Judgement judge(const Matrix& test, const History& history, const SerialHistories& serial,
                bool classic) {
  const Witness witness(test, history);
  if (!history.stuck) return {witness.find(serial) ? Failure::kNone : Failure::kUnexplained, -1};
  if (classic) return {witness.find_classic(serial) ? Failure::kNone : Failure::kUnexplained, -1};
  for (const int pending : witness.pending()) {
    if (!witness.find_stuck(serial, pending)) return {Failure::kBlocked, pending};
  }
  return {};
}

void fail(CheckResult& result, Failure failure) {
  result.verdict = CheckResult::kFail;
  result.failure = failure;
}

}  // namespace

bool is_violation(const Matrix& test, const History& history, const SerialHistories& serial,
                  bool classic) {
  const Witness witness(test, history);
  const auto among = [&](const std::vector<SerialHistory>& all, std::optional<int> pending) {
    return std::ranges::any_of(
        all, [&](const SerialHistory& s) { return witness.is_witness(s, pending); });
  };
  if (!history.stuck) return !among(serial.full(), {});
  if (classic) return !witness.find_classic(serial);
  return std::ranges::any_of(witness.pending(),
                             [&](int pending) { return !among(serial.stuck(), pending); });
}

CheckResult check(Runner& runner, const Object& object, const Matrix& test,
                  const CheckSettings& settings) {
  CheckResult result;
  const std::vector<Cell> all = cells(test);
  const auto may_differ = [&](int operation) {
    const int invocation = all[static_cast<std::size_t>(operation)].invocation;
    const Invocation& it = object.invocations[static_cast<std::size_t>(invocation)];
    return settings.nondeterministic.contains(it.method);
  };

  // Phase 1. Never bounded: without all serial histories nothing can be called a violation.
  result.phase1 = runner.serial(test, [&](const History& history) {
    result.serial.add(history);
    return true;
  });
  if (result.phase1.end == Ran::kFinding) {
    fail(result, Failure::kFinding);
    return result;
  }
  if (result.phase1.end != Ran::kComplete) {
    result.verdict =
        result.phase1.end == Ran::kUnusable ? CheckResult::kUnusable : CheckResult::kUndecided;
    result.reason = result.phase1.reason;
    return result;
  }
  result.fork = result.serial.nondeterminism(may_differ);
  if (result.fork) {
    fail(result, Failure::kNondeterministic);
    return result;
  }

  // Phase 2.
  result.phase2 = runner.concurrent(test, settings.preemptions, [&](const History& history) {
    ++result.histories;
    result.stuck_histories += history.stuck ? 1 : 0;
    const Judgement judgement = judge(test, history, result.serial, settings.classic);
    if (judgement.failure == Failure::kNone) return true;
    ++result.violating;
    if (!result.history) {
      result.history = history;
      result.culprit = judgement.culprit;
      fail(result, judgement.failure);
    }
    return settings.all_histories;
  });
  if (result.verdict == CheckResult::kFail) return result;
  switch (result.phase2.end) {
    case Ran::kComplete:
    case Ran::kStopped: break;
    case Ran::kFinding: fail(result, Failure::kFinding); break;
    case Ran::kCut:
      result.verdict = CheckResult::kUndecided;
      result.reason = result.phase2.reason;
      break;
    case Ran::kUnusable:
      result.verdict = CheckResult::kUnusable;
      result.reason = result.phase2.reason;
      break;
  }
  return result;
}

}  // namespace plumb::lineup
