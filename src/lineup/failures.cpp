// SPDX-License-Identifier: MIT
#include "lineup/failures.hpp"

#include <optional>
#include <utility>

#include "lineup/shrink.hpp"

namespace plumb::lineup {
namespace {

bool is_like(const CheckResult& a, const CheckResult& b) {
  return a.failure == b.failure && a.finding == b.finding && a.what == b.what;
}

}  // namespace

bool Failures::leaves(const Matrix& test, const CheckResult& result) const {
  return result.history &&
         leaves_values(settings_.check.by, test, object_, *result.history, runner_.results());
}

void Failures::shrink(TestFailure& failed, std::uint64_t& executions) {
  CheckSettings settings = settings_.check;
  settings.all_histories = false;
  const Matrix& test = failed.found;
  std::optional<CheckResult> last;
  const bool is_serial = settings_.check.preemptions == Runner::kSerial;
  // What takes out all that it puts in stays so: else what is left inside would be the failure.
  const bool is_drained = drained(test, object_, settings.by) == test;
  const bool is_balanced = !puts_in_more(settings.by, test, object_);
  const bool left_nothing = !leaves(test, failed.result);
  const auto like_it = [&](const Matrix& candidate) {
    return is_drained ? drained(candidate, object_, settings.by) : candidate;
  };
  const bool is_given = !settings_.given.empty();
  const Kept kept{is_given ? std::vector<Column>{} : settings_.units,
                  !is_given && !settings_.initial.empty(), !is_given && !settings_.final.empty()};
  const auto fails = [&](const Matrix& candidate, int preemptions) {
    settings.preemptions = preemptions;
    const Matrix smaller = like_it(candidate);
    if (is_balanced && puts_in_more(settings.by, smaller, object_)) return false;
    CheckResult result = check(runner_, object_, smaller, settings);
    const bool it_fails = result.verdict == CheckResult::TestVerdict::fail &&
                          is_like(result, failed.result) &&
                          !(left_nothing && leaves(smaller, result));
    executions += result.phase1.executions + result.phase2.executions;
    failed.shrinking_was_cut |= result.cut.ends_all();
    if (it_fails) last = std::move(result);
    return it_fails;
  };
  const Shrunk shrunk = lineup::shrink(object_, kept, test, settings_.check.preemptions,
                                       is_serial ? -1 : settings_.max_preemptions, fails);
  failed.test = like_it(shrunk.test);
  failed.preemptions = shrunk.preemptions;
  if (!last) return;
  failed.result = *std::move(last);
  if (settings_.check.all_histories) count_histories(failed, executions);
}

void Failures::count_histories(TestFailure& failed, std::uint64_t& executions) {
  CheckSettings settings = settings_.check;
  settings.preemptions = failed.preemptions;
  CheckResult counted = check(runner_, object_, failed.test, settings);
  executions += counted.phase1.executions + counted.phase2.executions;
  failed.shrinking_was_cut |= counted.cut.ends_all();
  if (counted.verdict == CheckResult::TestVerdict::fail) failed.result = std::move(counted);
}

bool Failures::keep(const Matrix& test, CheckResult checked, std::uint64_t& executions) {
  TestFailure failed{test, test, settings_.check.preemptions, false, false, std::move(checked), 1};
  if (settings_.shrink) shrink(failed, executions);
  failed.is_least = settings_.shrink && failed.preemptions >= 0 && !failed.shrinking_was_cut;
  // The usual search has several parts.
  if (failed.preemptions == Runner::kUsual) failed.preemptions = failed.result.phase2.bound;
  const bool is_whole = !failed.shrinking_was_cut;
  for (TestFailure& known : all) {
    if (!is_like(known.result, failed.result) || canonical(known.test) != canonical(failed.test))
      continue;
    ++known.times;
    return is_whole;
  }
  all.push_back(std::move(failed));
  return is_whole;
}

}  // namespace plumb::lineup
