// SPDX-License-Identifier: MIT
// Campaigns in stages: all tests with few preemptions before any with more.
#include <gtest/gtest.h>

#include <functional>
#include <utility>
#include <vector>

#include "lineup/campaign.hpp"

namespace plumb::lineup {
namespace {

// Notes which stage of which test is run, and ends it as the test says.
class Staged final : public Runner {
 public:
  explicit Staged(std::vector<Stage> stages) : stages_(std::move(stages)) {}
  RunResult serial(const Matrix&, const OnHistory& on_history) override {
    ++serial_runs;
    on_history({{{0, false}, {0, true}, {1, false}, {1, true}}, false, {}});
    RunResult ran;
    ran.executions = 1;
    return ran;
  }
  RunResult concurrent(const Matrix&, int, const OnHistory&) override { return {}; }
  std::vector<Stage> stages() const override { return stages_; }
  RunResult run_stage(const Matrix& test, const Stage& stage, TestMemory& memory,
                      const OnHistory&) override {
    const int columns = static_cast<int>(test.columns[0].size());
    ran.emplace_back(stage.preemptions, columns);
    memory.executions += 10;
    remembered.push_back(memory.executions);
    RunResult result = outcome ? outcome(stage.preemptions, columns) : RunResult{};
    result.bound = stage.preemptions;
    return result;
  }
  const Results& results() const override { return results_; }

  std::function<RunResult(int bound, int test)> outcome;
  std::vector<std::pair<int, int>> ran;
  std::vector<std::uint64_t> remembered;
  int serial_runs = 0;

 private:
  const std::vector<Stage> stages_;
  Results results_;
};

// Three tests, of which the first thread of the n-th has n operations.
class LineUpStages : public testing::Test {
 protected:
  CampaignResult campaign() {
    for (std::size_t n = 1; n <= 3; ++n) settings_.given.push_back({{}, {Column(n, 0), {1}}, {}});
    settings_.shrink = false;
    return run_campaign(runner_, object_, settings_, [](auto&, auto&) { return true; });
  }
  static RunResult cut(CutBy by) {
    RunResult result;
    result.end = RunResult::End::cut;
    result.cut = {by};
    return result;
  }
  static RunResult whole(bool all_schedules) {
    RunResult result;
    result.all_schedules = all_schedules;
    return result;
  }
  static RunResult taking(double seconds) {
    RunResult result;
    result.seconds = seconds;
    return result;
  }
  static RunResult found() {
    RunResult result;
    result.end = RunResult::End::finding;
    result.finding = FindingKind::race;
    return result;
  }

  const Object object_{"Object", {{"f", "f()"}, {"g", "g()"}}};
  Staged runner_{{{1}, {2, 2}, {Runner::kEvery, 0, false}}};
  Staged exhaustive_{{{1}, {Runner::kEvery, 0, true}}};
  CampaignSettings settings_;
};

constexpr int kEvery = Runner::kEvery;

TEST_F(LineUpStages, AllTestsAreRunWithOnePreemptionBeforeAnyWithTwo) {
  const CampaignResult result = campaign();
  const std::vector<std::pair<int, int>> expected = {
      {1, 1}, {1, 2}, {1, 3}, {2, 1}, {2, 2}, {2, 3}, {kEvery, 1}, {kEvery, 2}, {kEvery, 3}};
  EXPECT_EQ(runner_.ran, expected);
  EXPECT_EQ(result.passed, 3u);
  ASSERT_EQ(result.stages.size(), 3u);
  EXPECT_EQ(result.stages[1].done, 3u);
  EXPECT_EQ(result.stages[1].all, 3u);
  EXPECT_FALSE(result.stages[1].rest_seconds);
}

TEST_F(LineUpStages, WhatIsKnownOfATestIsKeptFromStageToStage) {
  const CampaignResult result = campaign();
  EXPECT_EQ(runner_.serial_runs, 3);
  EXPECT_EQ(runner_.remembered, (std::vector<std::uint64_t>{10, 10, 10, 20, 20, 20, 30, 30, 30}));
  EXPECT_EQ(result.executions, 3u);
  EXPECT_EQ(result.serial_histories, 3u);
}

TEST_F(LineUpStages, ATestWhoseSchedulesWereAllSeenIsNotRunAgain) {
  runner_.outcome = [](int, int test) { return whole(test == 2); };
  const CampaignResult result = campaign();
  EXPECT_EQ(runner_.ran.size(), 7u);
  EXPECT_EQ(result.passed, 3u);
  EXPECT_EQ(result.all_schedules, 1u);
  EXPECT_EQ(result.stages[1].done, 3u);
  EXPECT_EQ(result.stages[2].done, 1u);
}

TEST_F(LineUpStages, TheFirstThatFailsHasFewPreemptionsRatherThanFewOperations) {
  runner_.outcome = [](int bound, int test) {
    return test == 3 || bound == 2 ? found() : RunResult{};
  };
  const CampaignResult result = campaign();
  ASSERT_EQ(result.failures.size(), 1u);
  EXPECT_EQ(result.failures[0].test, settings_.given[2]);
  EXPECT_EQ(result.failures[0].preemptions, 1);
  EXPECT_EQ(runner_.ran.size(), 3u);
}

TEST_F(LineUpStages, OnceThePlanIsDoneALimitDoesNotChangeTheVerdict) {
  for (const CutBy by : {CutBy::time, CutBy::memory, CutBy::interrupted}) {
    settings_.given.clear();
    runner_.outcome = [by](int bound, int test) {
      return bound == kEvery && test == 2 ? cut(by) : whole(bound == kEvery);
    };
    const CampaignResult result = campaign();
    EXPECT_EQ(result.passed, 3u);
    EXPECT_EQ(result.undecided, 0u);
    EXPECT_FALSE(result.interrupted);
    EXPECT_FALSE(result.ended_by_limit);
    EXPECT_EQ(result.deeper_cut.by, by);
    EXPECT_EQ(result.stages[2].done, 1u);
    EXPECT_EQ(runner_.ran.back(), std::pair(kEvery, 2));
  }
}

TEST_F(LineUpStages, BeyondThePlanAFailureIsAFailure) {
  runner_.outcome = [](int bound, int test) {
    return bound == kEvery && test == 2 ? found() : RunResult{};
  };
  const CampaignResult result = campaign();
  EXPECT_EQ(result.passed, 2u);
  EXPECT_EQ(result.failed, 1u);
}

TEST_F(LineUpStages, AnExhaustivePlanIsNotDoneBeforeEveryScheduleIs) {
  exhaustive_.outcome = [](int bound, int) {
    return bound == kEvery ? cut(CutBy::executions) : RunResult{};
  };
  settings_.given = {{{}, {{0}, {1}}, {}}};
  settings_.shrink = false;
  const CampaignResult result =
      run_campaign(exhaustive_, object_, settings_, [](auto&, auto&) { return true; });
  EXPECT_EQ(result.passed, 0u);
  EXPECT_EQ(result.undecided, 1u);
  EXPECT_EQ(result.cut.by, CutBy::executions);
}

TEST_F(LineUpStages, WhatIsCutInThePlanSaysHowFarItCame) {
  runner_.outcome = [](int bound, int test) {
    return bound == 2 && test == 2 ? cut(CutBy::time) : taking(1.0 * bound * test);
  };
  const CampaignResult result = campaign();
  EXPECT_EQ(result.passed, 1u);
  EXPECT_EQ(result.undecided, 1u);
  EXPECT_TRUE(result.ended_by_limit);
  EXPECT_EQ(result.stages[0].done, 3u);
  EXPECT_EQ(result.stages[1].done, 1u);
  // Twice as long as with one preemption, of the tests that are left.
  ASSERT_TRUE(result.stages[1].rest_seconds);
  EXPECT_DOUBLE_EQ(*result.stages[1].rest_seconds, 2.0 * (2 + 3));
  EXPECT_EQ(result.stages[2].done, 0u);
}

TEST_F(LineUpStages, ATestThatIsNotDecidedWithFewPreemptionsMayStillFailWithMore) {
  runner_.outcome = [](int bound, int test) {
    if (test != 2) return RunResult{};
    return bound == 1 ? cut(CutBy::steps) : found();
  };
  const CampaignResult result = campaign();
  EXPECT_EQ(result.failed, 1u);
  EXPECT_EQ(result.undecided, 0u);
}

TEST_F(LineUpStages, AResumedCampaignContinuesWithTheStageThatIsNext) {
  std::vector<CampaignState> states;
  settings_.save = [&](const std::function<CampaignState()>& state) { states.push_back(state()); };
  const CampaignResult whole = campaign();
  ASSERT_EQ(states.size(), 9u);
  const std::vector<std::pair<int, int>> all = std::exchange(runner_.ran, {});
  for (std::size_t i = 0; i < states.size(); ++i) {
    settings_.given.clear();
    settings_.save = nullptr;
    settings_.resume = states[i];
    runner_.ran.clear();
    const CampaignResult resumed = campaign();
    EXPECT_EQ(runner_.ran, std::vector(all.begin() + static_cast<int>(i) + 1, all.end()));
    EXPECT_EQ(resumed.passed, whole.passed);
    EXPECT_EQ(resumed.executions, whole.executions);
    EXPECT_EQ(resumed.serial_histories, whole.serial_histories);
    EXPECT_EQ(resumed.begun, whole.begun);
  }
}

}  // namespace
}  // namespace plumb::lineup
