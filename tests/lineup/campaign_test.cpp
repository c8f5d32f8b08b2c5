// SPDX-License-Identifier: MIT
// Campaigns that are resumed, and judgements that reach a limit.
#include "lineup/campaign.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <utility>
#include <vector>

#include "lineup/by_specification.hpp"
#include "lineup/check.hpp"
#include "lineup/simulated.hpp"
#include "lineup/to_history.hpp"

namespace plumb::lineup {
namespace {

// A queue of one element, which is right as long as only one is put in.
Simulated queue_of_one() {
  return {"Queue",
          {0},
          {{"enq", "enq(1)", {[](Shared& s, Local&) { return s[0] = 1, returns(); }}},
           {"deq", "deq()", {[](Shared& s, Local&) {
              const bool is_empty = s[0] == 0;
              return s[0] = 0, returns(is_empty ? "null" : "1");
            }}}}};
}

// Every concurrent run ends as the test says.
class Scripted final : public Runner {
 public:
  RunResult serial(const Matrix&, const OnHistory&) override { return {}; }
  RunResult concurrent(const Matrix&, int, const OnHistory&) override { return outcome; }
  const Results& results() const override { return results_; }
  RunResult outcome;

 private:
  Results results_;
};

class LineUpResumed : public testing::Test {
 protected:
  // Of which the first test failed, and a second is left.
  CampaignResult resumed() {
    CampaignSettings settings;
    const Matrix test{{}, {{0}, {1}}, {}};
    settings.given = {test, test};
    settings.shrink = false;
    settings.resume.emplace();
    settings.resume->counts.given = settings.resume->counts.failed = 1;
    settings.resume->counts.begun = settings.resume->counts.fail.tests = 1;
    TestProgress failed;
    failed.verdict = TestProgress::Verdict::fail;
    failed.is_over = true;
    failed.seconds = {0};
    settings.resume->given = {failed};
    settings.on_tested = [this](std::uint64_t number, const Matrix&, const CheckResult& result,
                                const TestProgress&) {
      if (tested_.empty()) first_ = number;
      if (number == first_) tested_.push_back(result.verdict);
    };
    return run_campaign(runner_, queue_of_one().object(), settings,
                        [](auto&, auto&) { return true; });
  }

  CampaignResult resumed_and_cut(CutBy by) {
    runner_.outcome.end = RunResult::End::cut;
    runner_.outcome.cut = {by};
    return resumed();
  }

  Scripted runner_;
  std::uint64_t first_ = 0;
  std::vector<CheckResult::TestVerdict> tested_;  // what became of the first test that was counted
};

TEST_F(LineUpResumed, ATestThatFailsAgainIsAFailure) {
  runner_.outcome.end = RunResult::End::finding;
  runner_.outcome.finding = FindingKind::race;
  const CampaignResult result = resumed();
  EXPECT_EQ(result.failed, 2u);
  ASSERT_EQ(result.failures.size(), 1u);
  EXPECT_EQ(result.failures[0].times, 2u);
  EXPECT_EQ(result.failures[0].result.failure, Failure::finding);
}

TEST_F(LineUpResumed, ATestThatPassesNowIsAPass) {
  const CampaignResult result = resumed();
  EXPECT_TRUE(result.failures.empty());
  EXPECT_EQ(result.failed, 0u);
  EXPECT_EQ(result.passed, 2u);
  EXPECT_EQ(tested_, std::vector{CheckResult::TestVerdict::pass});
}

TEST_F(LineUpResumed, ATestThatIsCutNowIsUndecided) {
  const CampaignResult result = resumed_and_cut(CutBy::steps);
  EXPECT_TRUE(result.failures.empty());
  EXPECT_EQ(result.failed, 0u);
  EXPECT_EQ(result.undecided, 2u);
  EXPECT_EQ(result.cut.by, CutBy::steps);
  EXPECT_FALSE(result.ended_by_limit);
  EXPECT_EQ(tested_, std::vector{CheckResult::TestVerdict::undecided});
}

TEST_F(LineUpResumed, NoOtherTestIsRunOnceTheTimeIsUp) {
  const CampaignResult result = resumed_and_cut(CutBy::time);
  EXPECT_TRUE(result.failures.empty());
  EXPECT_EQ(result.given, 1u);
  EXPECT_EQ(result.undecided, 1u);
  EXPECT_EQ(result.cut.by, CutBy::time);
  EXPECT_TRUE(result.ended_by_limit);
}

// What would be saved lacks a part of what is counted.
TEST(LineUpSaved, ATestWhoseShrinkingIsInterruptedIsRunAgain) {
  Scripted runner;
  runner.outcome.end = RunResult::End::finding;
  CampaignSettings settings;
  settings.given = {{{}, {{0}, {1}}, {}}, {{}, {{0}, {1}}, {}}};
  settings.keep_going = true;
  int saved = 0;
  settings.save = [&saved](const std::function<CampaignState()>&) { ++saved; };
  settings.on_tested = [&](std::uint64_t, const Matrix&, const CheckResult&, const TestProgress&) {
    if (saved == 0) return;  // the first test is shrunk, the second one is not
    runner.outcome.end = RunResult::End::cut;
    runner.outcome.cut = {CutBy::interrupted};
  };
  const auto always = [](auto&, auto&) { return true; };
  EXPECT_EQ(run_campaign(runner, queue_of_one().object(), settings, always).failed, 2u);
  EXPECT_EQ(saved, 1);
}

// A queue whose histories may be judged with so much.
class Limited final : public Runner {
 public:
  explicit Limited(const JudgementLimits& limits) : limits_(limits), queue_(queue_of_one()) {}
  RunResult serial(const Matrix& test, const OnHistory& on_history) override {
    return queue_.serial(test, on_history);
  }
  RunResult concurrent(const Matrix& test, int preemptions, const OnHistory& on_history) override {
    return queue_.concurrent(test, preemptions, on_history);
  }
  const Results& results() const override { return queue_.results(); }
  JudgementLimits limits() const override { return limits_; }
  const Simulated& queue() const { return queue_; }

 private:
  const JudgementLimits limits_;
  Simulated queue_;
};

CheckResult judged_by_queue(const JudgementLimits& limits) {
  Limited runner(limits);
  CheckSettings settings;
  settings.by.specification = find_specification("queue");
  return check(runner, runner.queue().object(), runner.queue().test("enq(1) | deq"), settings);
}

TEST(LineUpJudgement, WithoutLimitsItIsDecided) {
  const std::atomic<bool> interrupt = false;
  EXPECT_EQ(judged_by_queue({}).verdict, CheckResult::TestVerdict::pass);
  EXPECT_EQ(judged_by_queue({1000, std::size_t{1} << 40, &interrupt}).verdict,
            CheckResult::TestVerdict::pass);
}

TEST(LineUpJudgement, LimitsOfTimeAndMemoryAndInterruptsCutTheTest) {
  const std::atomic<bool> interrupt = true;
  const std::pair<JudgementLimits, CutBy> cases[] = {{{1e-9, 0, nullptr}, CutBy::time},
                                                     {{0, 1, nullptr}, CutBy::memory},
                                                     {{0, 0, &interrupt}, CutBy::interrupted}};
  for (const auto& [limits, by] : cases) {
    const CheckResult result = judged_by_queue(limits);
    EXPECT_EQ(result.verdict, CheckResult::TestVerdict::undecided);
    EXPECT_EQ(result.cut.by, by) << result.cut.text;
    EXPECT_EQ(result.phase2.end, RunResult::End::stopped);
    EXPECT_EQ(result.histories, 1u);  // no other would have been judged
  }
}

TEST(LineUpJudgement, OtherReasonsAreKept) {
  const Cut cut = unjudged(StopReason::not_confirmed, "no second engine");
  EXPECT_EQ(cut.by, CutBy::other);
  EXPECT_EQ(cut.stopped, StopReason::not_confirmed);
  EXPECT_EQ(cut.text, "a history could not be judged: no second engine");
  EXPECT_FALSE(cut.ends_all());
}

TEST(LineUpJudgement, PermutationsAreCountedWithinTheLimits) {
  const std::atomic<bool> interrupt = true;
  Simulated queue = queue_of_one();
  // Of ten that overlap there are three million orders.
  Matrix test;
  ObservedHistory history;
  for (int i = 0; i < 10; ++i) {
    test.columns.push_back({0});
    history.events.push_back({i, false, 0});
  }
  for (int i = 0; i < 10; ++i) history.events.push_back({i, true, queue.results().number("")});
  BySpecification by;
  by.specification = find_specification("queue");
  by.quasi.sets.push_back({{"deq"}, 1});
  by.quasi.relaxation = Relaxation::slot;
  by.quasi.dedup = false;
  const PermutationCount count = count_permutations(
      by, to_history(test, queue.object(), history, queue.results(), true), {0, 0, &interrupt});
  EXPECT_EQ(count.stopped, StopReason::interrupted);
}

}  // namespace
}  // namespace plumb::lineup
