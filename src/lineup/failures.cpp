// SPDX-License-Identifier: MIT
#include "lineup/failures.hpp"

#include <optional>
#include <utility>

#include "lineup/shrink.hpp"

namespace plumb::lineup {
namespace {

// With more preemptions than the failure needed, a smaller test may fail. That is looked for as
// long as it is quick: there are about ten times as many schedules with each.
class Patience {
 public:
  explicit Patience(int preemptions) : first_(preemptions) {}

  bool has_for(int preemptions) {
    if (preemptions > bound_) most_before_ = std::exchange(most_, 0);
    bound_ = std::max(bound_, preemptions);
    return preemptions <= first_ || (all_ < kMostExecutions && most_before_ < kMostOfOneTest);
  }
  void count(std::uint64_t executions) {
    all_ += executions;
    most_ = std::max(most_, executions);
  }

 private:
  static constexpr std::uint64_t kMostExecutions = 50'000, kMostOfOneTest = 2'000;
  const int first_;
  int bound_ = 0;
  std::uint64_t all_ = 0, most_ = 0, most_before_ = 0;
};

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
  Patience patience(failed.preemptions);
  const auto fails = [&](const Matrix& candidate, int preemptions) {
    if (!patience.has_for(preemptions)) return false;
    settings.preemptions = preemptions;
    const Matrix smaller = like_it(candidate);
    if (is_balanced && puts_in_more(settings.by, smaller, object_)) return false;
    CheckResult result = check(runner_, object_, smaller, settings);
    const bool it_fails = result.verdict == CheckResult::TestVerdict::fail &&
                          is_like(result, failed.result) &&
                          !(left_nothing && leaves(smaller, result));
    const std::uint64_t ran = result.phase1.executions + result.phase2.executions;
    executions += ran;
    patience.count(ran);
    failed.shrinking_was_cut |= result.cut.ends_all();
    if (it_fails) last = std::move(result);
    return it_fails;
  };
  const Shrunk shrunk = lineup::shrink(object_, kept, test, failed.preemptions,
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

bool Failures::keep(const Matrix& test, CheckResult checked, const Stage& stage,
                    std::uint64_t& executions) {
  const int bound = stage.preemptions >= 0 ? stage.preemptions : settings_.check.preemptions;
  TestFailure failed{test, test, bound, false, false, std::move(checked), 1};
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
