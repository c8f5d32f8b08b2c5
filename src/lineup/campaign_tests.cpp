// SPDX-License-Identifier: MIT
#include "lineup/campaign_tests.hpp"

#include <algorithm>
#include <numeric>

namespace plumb::lineup {

CampaignTests::CampaignTests(const Object& object, const CampaignSettings& settings)
    : object_(object),
      settings_(settings), alphabet_{settings.units, settings.initial, settings.final} {
  if (alphabet_.units.empty()) {
    for (std::size_t i = 0; i < object.invocations.size(); ++i)
      alphabet_.units.push_back({static_cast<int>(i)});
  }
  if (!settings.given.empty()) {
    for (const Matrix& test : settings.given) add(given, test);
    return;
  }
  alike_ = symmetry_of(object_, alphabet_);
  enumerate_those([&](const Matrix& test) { return stands_for_all(test, alike_); });
  const std::vector<Matrix> drawn =
      settings.all_sizes ? sample_sizes(object_, alphabet_, settings.first, settings.rows,
                                        settings.columns, settings.random, settings.seed)
                         : sample(object_, alphabet_, settings.rows, settings.columns,
                                  settings.random, settings.seed);
  for (const Matrix& test : drawn) add(at_random, with_end(test));
}

// What is left inside is looked at.
Matrix CampaignTests::with_end(const Matrix& test) const {
  Matrix whole = drained(test, object_, settings_.check.by);
  for (const int call : settings_.observers.after(test)) whole.final.push_back(call);
  return whole;
}

void CampaignTests::add(TestList& list, Matrix test) const {
  const std::uint64_t number = list.tests.size();
  const bool is_mine = number % static_cast<std::uint64_t>(settings_.shards) ==
                       static_cast<std::uint64_t>(settings_.shard);
  list.tests.push_back({std::move(test), is_mine});
}

// Of a size with too many tests, some are drawn: the first of them would all be alike.
template <class IsWanted>
void CampaignTests::enumerate_those(IsWanted is_wanted) {
  constexpr double kMostEnumerated = 1e5;
  const int sizes = settings_.operations;
  std::uint64_t room = settings_.most_in_order;
  for (int size = 2; size <= sizes; ++size) {
    const std::uint64_t share = room / static_cast<std::uint64_t>(sizes - size + 1);
    std::vector<Matrix> tests;
    bool is_whole = count_size(alphabet_, size, settings_.threads) <= kMostEnumerated;
    if (is_whole) {
      enumerate_size(object_, alphabet_, size, settings_.threads, [&](const Matrix& test) {
        if (is_wanted(test)) tests.push_back(test);
        return true;
      });
      is_whole = tests.size() <= share;
    }
    if (!is_whole) {
      has_all_ = false;
      tests =
          draw_size(object_, alphabet_, size, settings_.threads, share, settings_.seed, is_wanted);
    }
    for (const Matrix& test : tests) add(in_order, with_end(test));
    room -= tests.size();
  }
}

bool CampaignTests::may_tell_threads_apart() const {
  return !are_apart_ && has_all_ && !in_order.tests.empty() && alike_.columns;
}

void CampaignTests::tell_threads_apart() {
  if (!may_tell_threads_apart()) return;
  are_apart_ = true;
  Symmetry apart = alike_;
  apart.columns = false;
  enumerate_those([&](const Matrix& test) {
    return stands_for_all(test, apart) && !stands_for_all(test, alike_);
  });
}

int CampaignTests::random_columns() const {
  // The last are the largest.
  return at_random.tests.empty() ? 0 : static_cast<int>(at_random.tests.back().test.columns.size());
}

bool is_through(const TestProgress& progress, const Stage& stage, std::size_t number) {
  if (!stage.is_planned) return progress.all_schedules;
  return progress.stages > number || (progress.is_over && !progress.cut.ends_all());
}

namespace {

double seconds_of(const TestProgress& progress, std::size_t stage) {
  return stage < progress.seconds.size() ? progress.seconds[stage] : 0;
}

}  // namespace

// The rest of a stage takes as much longer than the stage before as the tests did that are through
// with both; in the first stage, as much as others did.
std::vector<StageCount> CampaignTests::count(const std::vector<Stage>& stages,
                                             unsigned at_once) const {
  std::vector<StageCount> counts;
  for (std::size_t i = 0; i < stages.size(); ++i) {
    StageCount& count = counts.emplace_back();
    count.stage = stages[i];
    double here = 0, before = 0, rest_before = 0;
    std::uint64_t unknown = 0;
    for_each([&](const CampaignTest& test) {
      const TestProgress& progress = test.progress;
      ++count.all;
      const double one = i == 0 ? 1 : seconds_of(progress, i - 1);
      if (is_through(progress, stages[i], i)) {
        ++count.done;
        if (progress.stages <= i) return;
        here += seconds_of(progress, i);
        before += one;
      } else if (progress.stages < i) {
        ++unknown;
      } else {
        rest_before += one;
      }
    });
    if (stages[i].is_planned && count.done < count.all && unknown == 0 && before > 0)
      count.rest_seconds = here / before * rest_before / at_once;
  }
  return counts;
}

namespace {

void count_by(const TestProgress& t, CampaignCounts& c, bool adds) {
  const auto n = [adds](std::uint64_t count) { return adds ? count : ~count + 1; };
  const bool is_pass = t.verdict == TestProgress::Verdict::pass;
  const bool is_fail = t.verdict == TestProgress::Verdict::fail;
  c.passed += n(is_pass ? 1 : 0);
  c.failed += n(is_fail ? 1 : 0);
  c.undecided += n(t.verdict == TestProgress::Verdict::undecided ? 1 : 0);
  c.begun += n(t.seconds.empty() ? 0 : 1);
  c.with_stuck += n(t.has_stuck ? 1 : 0);
  c.all_schedules += n(is_pass && t.all_schedules ? 1 : 0);
  c.histories += n(t.histories);
  c.racy_tests += n(t.racy ? 1 : 0);
  c.racy_passed += n(t.racy && is_pass ? 1 : 0);
  c.cyclic_tests += n(t.cyclic ? 1 : 0);
  c.cyclic_passed += n(t.cyclic && is_pass ? 1 : 0);
  if (!is_pass && !is_fail) return;
  Spent& spent = is_pass ? c.pass : c.fail;
  const double seconds = std::accumulate(t.seconds.begin(), t.seconds.end(), 0.0);
  spent.tests += n(1);
  spent.seconds += adds ? seconds : -seconds;
}

}  // namespace

void count_in(const TestProgress& progress, CampaignCounts& counts) {
  count_by(progress, counts, true);
}
void count_out(const TestProgress& progress, CampaignCounts& counts) {
  count_by(progress, counts, false);
}

}  // namespace plumb::lineup
