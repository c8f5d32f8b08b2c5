// SPDX-License-Identifier: MIT
#include "lineup/campaign.hpp"

#include <algorithm>

#include "lineup/shrink.hpp"
#include "lineup/symmetry.hpp"

namespace plumb::lineup {
namespace {

class Campaign {
 public:
  Campaign(Runner& runner, const Object& object, const CampaignSettings& settings,
           const std::function<bool(const CampaignResult&, const Matrix&)>& progress)
      : runner_(runner), object_(object), settings_(settings), progress_(progress) {
    alphabet_ = {settings.units, settings.initial, settings.final};
    if (alphabet_.units.empty()) {
      for (std::size_t i = 0; i < object.invocations.size(); ++i)
        alphabet_.units.push_back({static_cast<int>(i)});
    }
  }

  CampaignResult run() {
    if (settings_.resume) resume(*settings_.resume);
    if (!more_) return std::move(result_);
    if (!settings_.given.empty()) {
      for (std::uint64_t i = result_.given; i < settings_.given.size(); ++i) {
        ++result_.given;
        if (mine(i) && !try_test(settings_.given[i])) break;
      }
      return std::move(result_);
    }
    run_in_order();
    if (more_) run_at_random();
    return std::move(result_);
  }

 private:
  bool mine(std::uint64_t number) const {
    return number % static_cast<std::uint64_t>(settings_.shards) ==
           static_cast<std::uint64_t>(settings_.shard);
  }

  void run_in_order() {
    if (settings_.operations < 2 || settings_.most_in_order == 0) return;
    const Symmetry alike = symmetry_of(object_, alphabet_);
    Symmetry threads_differ = alike;
    threads_differ.columns = false;
    bool all = true;
    std::uint64_t number = 0;
    const auto run_those = [&](const auto& is_wanted) {
      enumerate(object_, alphabet_, settings_.operations, settings_.threads,
                [&](const Matrix& test) {
                  if (!is_wanted(test)) return true;
                  const std::uint64_t here = number++;
                  if (here < result_.in_order) return true;  // it was run before
                  if (here == settings_.most_in_order) return all = false;
                  ++result_.in_order;
                  return !mine(here) || try_test(drained(test, object_, settings_.check.by));
                });
    };
    run_those([&](const Matrix& test) { return stands_for_all(test, alike); });
    // The others, if it turned out that they may be different.
    if (result_.threads_differ && alike.columns && all && more_) {
      run_those([&](const Matrix& test) {
        return stands_for_all(test, threads_differ) && !stands_for_all(test, alike);
      });
    }
    result_.all_in_order = all && more_;
  }

  void run_at_random() {
    const std::vector<Matrix> tests = sample(object_, alphabet_, settings_.rows, settings_.columns,
                                             settings_.random, settings_.seed);
    if (!tests.empty()) result_.random_columns = static_cast<int>(tests[0].columns.size());
    for (std::uint64_t i = result_.at_random; i < tests.size(); ++i) {
      ++result_.at_random;
      if (mine(i) && !try_test(drained(tests[i], object_, settings_.check.by))) return;
    }
  }

  // What failed before is run again, to be shown; everything was counted. It may end otherwise: at
  // a limit, or because the object depends on more than the schedule.
  void resume(const CampaignState& state) {
    std::vector<std::pair<Matrix, CheckResult>> changed;
    for (const Matrix& test : state.failed) {
      CheckResult again = check(runner_, object_, test, settings_.check);
      if (again.verdict != CheckResult::TestVerdict::fail) {
        changed.emplace_back(test, std::move(again));
        continue;
      }
      failed_.push_back(test);
      keep(test, std::move(again));
    }
    result_.cut = state.cut;
    result_.undecided_test = state.undecided_test;
    static_cast<CampaignCounts&>(result_) = state.counts;
    bool goes_on = true;
    for (auto& [test, again] : changed) {
      --result_.failed;
      --result_.fail.tests;
      if (settings_.on_changed) settings_.on_changed(test, again);
      goes_on = conclude(test, std::move(again)) && goes_on;
    }
    more_ = goes_on;
  }

  // False: enough.
  bool try_test(const Matrix& test) {
    if (!progress_(result_, test)) {
      result_.interrupted = true;
      return more_ = false;
    }
    CheckResult checked = check(runner_, object_, test, settings_.check);
    if (settings_.on_tested) settings_.on_tested(test, checked);
    const bool goes_on = count(test, std::move(checked));
    if (settings_.save && goes_on)
      settings_.save({result_, failed_, result_.cut, result_.undecided_test});
    return goes_on;
  }

  bool count(const Matrix& test, CheckResult checked) {
    const auto serial = checked.serial.full().size() + checked.serial.stuck().size();
    result_.calls.resize(object_.invocations.size());
    for (const Cell& cell : cells(test)) ++result_.calls[static_cast<std::size_t>(cell.invocation)];
    result_.threads_differ |= runner_.read_thread_id();
    result_.guessed |= checked.phase2.guessed;
    result_.executions += checked.phase1.executions + checked.phase2.executions;
    result_.histories += checked.histories;
    result_.violating += checked.violating;
    result_.sequentializations += checked.sequentializations;
    result_.permutations += checked.permutations;
    result_.serial_histories += serial;
    result_.most_serial_histories = std::max<std::uint64_t>(result_.most_serial_histories, serial);
    result_.most_points = std::max(result_.most_points, checked.phase2.points);
    result_.serial_seconds += checked.phase1.seconds;
    result_.most_serial_seconds = std::max(result_.most_serial_seconds, checked.phase1.seconds);
    result_.with_stuck += checked.stuck_histories > 0 ? 1 : 0;
    count(checked.phase2.alarms, checked.verdict == CheckResult::TestVerdict::pass);
    return conclude(test, std::move(checked));
  }

  // Counts the verdict alone. False: enough.
  bool conclude(const Matrix& test, CheckResult checked) {
    const double seconds = checked.phase1.seconds + checked.phase2.seconds;
    switch (checked.verdict) {
      case CheckResult::TestVerdict::pass:
        ++result_.passed;
        result_.all_schedules += checked.phase2.all_schedules ? 1 : 0;
        add(result_.pass, seconds);
        return true;
      case CheckResult::TestVerdict::undecided:
        if (result_.undecided++ == 0) {
          result_.cut = checked.cut;
          result_.undecided_test = test;
        }
        if (checked.cut.ends_all()) {
          const bool is_by_user = checked.cut.by == CutBy::interrupted;
          (is_by_user ? result_.interrupted : result_.ended_by_limit) = true;
          return more_ = false;
        }
        return more_ = !checked.phase1.hung;
      case CheckResult::TestVerdict::unusable:
        result_.unusable = checked.reason;
        result_.unusable_error = checked.error;
        return more_ = false;
      case CheckResult::TestVerdict::fail: break;
    }
    ++result_.failed;
    add(result_.fail, seconds);
    failed_.push_back(test);
    keep(test, std::move(checked));
    return more_ = settings_.keep_going;
  }

  void count(const Alarms& alarms, bool passed) {
    result_.compared += alarms.executions;
    result_.racy += alarms.racy;
    result_.cyclic += alarms.cyclic;
    result_.truncated += alarms.cut;
    result_.racy_tests += alarms.racy > 0 ? 1 : 0;
    result_.racy_passed += alarms.racy > 0 && passed ? 1 : 0;
    result_.cyclic_tests += alarms.cyclic > 0 ? 1 : 0;
    result_.cyclic_passed += alarms.cyclic > 0 && passed ? 1 : 0;
  }

  bool leaves(const Matrix& test, const CheckResult& result) const {
    return result.history &&
           leaves_values(settings_.check.by, test, object_, *result.history, runner_.results());
  }

  static void add(Spent& spent, double seconds) {
    ++spent.tests;
    spent.seconds += seconds;
  }

  static bool is_like(const CheckResult& a, const CheckResult& b) {
    return a.failure == b.failure && a.finding == b.finding && a.what == b.what;
  }

  void keep(const Matrix& test, CheckResult checked) {
    TestFailure failed{test, test, settings_.check.preemptions, false, false, std::move(checked),
                       1};
    if (settings_.shrink) {
      CheckSettings settings = settings_.check;
      settings.all_histories = false;
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
                      !is_given && !settings_.initial.empty(),
                      !is_given && !settings_.final.empty()};
      const Shrunk shrunk =
          shrink(object_, kept, test, settings_.check.preemptions,
                 is_serial ? -1 : settings_.max_preemptions,
                 [&](const Matrix& candidate, int preemptions) {
                   settings.preemptions = preemptions;
                   const Matrix smaller = like_it(candidate);
                   if (is_balanced && puts_in_more(settings.by, smaller, object_)) return false;
                   CheckResult result = check(runner_, object_, smaller, settings);
                   const bool fails = result.verdict == CheckResult::TestVerdict::fail &&
                                      is_like(result, failed.result) &&
                                      !(left_nothing && leaves(smaller, result));
                   result_.executions += result.phase1.executions + result.phase2.executions;
                   failed.shrinking_was_cut |= result.cut.ends_all();
                   if (fails) last = std::move(result);
                   return fails;
                 });
      failed.test = like_it(shrunk.test);
      failed.preemptions = shrunk.preemptions;
      if (last) failed.result = std::move(*last);
      if (settings_.check.all_histories && last) {
        settings.all_histories = true;
        settings.preemptions = failed.preemptions;
        CheckResult counted = check(runner_, object_, failed.test, settings);
        result_.executions += counted.phase1.executions + counted.phase2.executions;
        if (counted.verdict == CheckResult::TestVerdict::fail) failed.result = std::move(counted);
      }
    }
    failed.is_least = settings_.shrink && failed.preemptions >= 0 && !failed.shrinking_was_cut;
    // The usual search has several parts.
    if (failed.preemptions == Runner::kUsual) failed.preemptions = failed.result.phase2.bound;
    for (TestFailure& known : result_.failures) {
      if (!is_like(known.result, failed.result) || canonical(known.test) != canonical(failed.test))
        continue;
      ++known.times;
      return;
    }
    result_.failures.push_back(std::move(failed));
  }

  Runner& runner_;
  const Object& object_;
  const CampaignSettings& settings_;
  const std::function<bool(const CampaignResult&, const Matrix&)>& progress_;
  Alphabet alphabet_;
  CampaignResult result_;
  std::vector<Matrix> failed_;  // as they were run
  bool more_ = true;
};

}  // namespace

CampaignResult run_campaign(
    Runner& runner, const Object& object, const CampaignSettings& settings,
    const std::function<bool(const CampaignResult&, const Matrix&)>& progress) {
  return Campaign(runner, object, settings, progress).run();
}

}  // namespace plumb::lineup
