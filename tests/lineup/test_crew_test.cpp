// SPDX-License-Identifier: MIT
// Campaigns whose tests are run by several threads.
#include "lineup/test_crew.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include "lineup/campaign.hpp"

namespace plumb::lineup {
namespace {

constexpr int kTests = 400;

// Takes a while, more for some tests; what comes of a stage depends on the test alone.
class Slow final : public Runner {
 public:
  explicit Slow(Results& results, std::atomic<bool>* stop = nullptr)
      : results_(results), stop_(stop) {}
  RunResult serial(const Matrix& test, const OnHistory& on_history) override {
    const ResultId result = results_.number(std::to_string(test.columns[0].size() % 7));
    on_history({{{0, false}, {0, true, result}}, false, {}});
    RunResult ran;
    ran.executions = 1;
    return ran;
  }
  RunResult concurrent(const Matrix&, int, const OnHistory&) override { return {}; }
  std::vector<Stage> stages() const override { return {{1}, {2, 2}}; }
  RunResult run_stage(const Matrix& test, const Stage& stage, TestMemory& memory,
                      const OnHistory&) override {
    const auto number = static_cast<int>(test.columns[0].size());
    std::this_thread::sleep_for(std::chrono::microseconds(number % 10 == 0 ? 2000 : 500));
    ++runs;
    memory.points.push_back(static_cast<std::uint64_t>(number));
    RunResult ran;
    ran.executions = static_cast<std::uint64_t>(number);
    ran.points = memory.points.size();
    if (stop_ != nullptr && *stop_) {
      ran.end = RunResult::End::cut;
      ran.cut = {CutBy::interrupted};
    } else if (fails && fails(stage.preemptions, number)) {
      ran.end = RunResult::End::finding;
      ran.finding = FindingKind::race;
    }
    return ran;
  }
  const Results& results() const override { return results_; }

  std::function<bool(int bound, int test)> fails;
  int runs = 0;

 private:
  Results& results_;
  std::atomic<bool>* const stop_;
};

class SlowRunners final : public Runners {
 public:
  SlowRunners(Results& results, unsigned count) : results_(results), all_(count) {}
  unsigned count() const override { return static_cast<unsigned>(all_.size()); }
  Runner* make(unsigned number) override {
    if (number >= most) return nullptr;
    all_[number] = std::make_unique<Slow>(results_, &stop_);
    all_[number]->fails = fails;
    return all_[number].get();
  }
  void stop() override { stop_ = true; }
  bool stopped() const { return stop_; }
  int runs() const {
    int all = 0;
    for (const auto& runner : all_) all += runner ? runner->runs : 0;
    return all;
  }

  unsigned most = 100;  // for which the system has room
  std::function<bool(int bound, int test)> fails;

 private:
  Results& results_;
  std::vector<std::unique_ptr<Slow>> all_;
  std::atomic<bool> stop_{false};
};

class LineUpCrew : public testing::Test {
 protected:
  LineUpCrew() {
    for (std::size_t n = 1; n <= kTests; ++n)
      settings_.given.push_back({{}, {Column(n, 0), {1}}, {}});
    settings_.shrink = false;
    settings_.on_tested = [this](std::uint64_t, const Matrix& test, const CheckResult&,
                                 const TestProgress& progress) {
      tested_.emplace_back(static_cast<int>(test.columns[0].size()), progress.stages);
    };
  }
  CampaignResult campaign(Runners* others) {
    tested_.clear();
    runner_.fails = fails_;
    return run_campaign(
        runner_, object_, settings_, [](auto&, auto&) { return true; }, others);
  }
  CampaignResult campaign_of(unsigned threads) {
    SlowRunners others(results_, threads);
    others.fails = fails_;
    CampaignResult result = campaign(&others);
    by_others_ = others.runs();
    return result;
  }
  // Everything but what was measured.
  static void expect_same(const CampaignResult& a, const CampaignResult& b) {
    EXPECT_EQ(a.given, b.given);
    EXPECT_EQ(a.begun, b.begun);
    EXPECT_EQ(a.passed, b.passed);
    EXPECT_EQ(a.failed, b.failed);
    EXPECT_EQ(a.undecided, b.undecided);
    EXPECT_EQ(a.executions, b.executions);
    EXPECT_EQ(a.serial_histories, b.serial_histories);
    EXPECT_EQ(a.most_points, b.most_points);
    ASSERT_EQ(a.failures.size(), b.failures.size());
    for (std::size_t i = 0; i < a.failures.size(); ++i)
      EXPECT_EQ(a.failures[i].test, b.failures[i].test);
    ASSERT_EQ(a.stages.size(), b.stages.size());
    for (std::size_t i = 0; i < a.stages.size(); ++i) EXPECT_EQ(a.stages[i].done, b.stages[i].done);
  }

  const Object object_{"Object", {{"f", "f()"}, {"g", "g()"}}};
  Results results_;
  Slow runner_{results_};
  CampaignSettings settings_;
  std::function<bool(int bound, int test)> fails_;
  std::vector<std::pair<int, std::uint64_t>> tested_;
  int by_others_ = 0;
};

TEST_F(LineUpCrew, FindsWhatOneThreadFinds) {
  const CampaignResult alone = campaign(nullptr);
  const auto tested = tested_;
  EXPECT_EQ(tested.size(), 2u * kTests);
  for (const unsigned threads : {1U, 2U, 5U}) {
    expect_same(campaign_of(threads), alone);
    EXPECT_EQ(tested_, tested) << "results are taken in the order of the tests";
    EXPECT_GT(by_others_, kTests);
  }
}

TEST_F(LineUpCrew, TheFirstThatFailsIsTheFirstInOrder) {
  fails_ = [](int bound, int test) { return bound == 2 && test > 300; };
  const CampaignResult alone = campaign(nullptr);
  const auto tested = tested_;
  ASSERT_EQ(alone.failures.size(), 1u);
  EXPECT_EQ(alone.failures[0].test, settings_.given[300]);
  for (const unsigned threads : {2U, 5U}) {
    expect_same(campaign_of(threads), alone);
    EXPECT_EQ(tested_, tested) << "what comes after it is not counted";
  }
}

TEST_F(LineUpCrew, AllFailuresAreFoundIfTheCampaignContinues) {
  settings_.keep_going = true;
  fails_ = [](int bound, int test) { return bound == 1 && test % 50 == 0; };
  const CampaignResult alone = campaign(nullptr);
  EXPECT_EQ(alone.failed, 8u);
  expect_same(campaign_of(3), alone);
}

TEST_F(LineUpCrew, WhereTheSystemHasNoRoomForOthersOneThreadRunsAll) {
  const CampaignResult alone = campaign(nullptr);
  for (const unsigned most : {0U, 1U}) {
    SlowRunners others(results_, 4);
    others.most = most;
    expect_same(campaign(&others), alone);
    EXPECT_EQ(others.runs() > 0, most > 0);
  }
}

TEST_F(LineUpCrew, ASingleTestNeedsNoOthers) {
  settings_.given.resize(1);
  EXPECT_EQ(campaign_of(3).passed, 1u);
  EXPECT_EQ(by_others_, 0);
}

TEST_F(LineUpCrew, AnInterruptEndsItWithWhatWasTakenSoFar) {
  SlowRunners others(results_, 3);
  const CampaignResult result = run_campaign(
      runner_, object_, settings_, [this](auto&, auto&) { return tested_.size() < 350; }, &others);
  EXPECT_TRUE(result.interrupted);
  EXPECT_TRUE(others.stopped());
  EXPECT_EQ(result.begun, 350u);
  EXPECT_EQ(result.stages[0].done, 350u);
}

TEST_F(LineUpCrew, AnExceptionOfAThreadIsThrownAgain) {
  SlowRunners others(results_, 3);
  others.fails = [](int, int test) {
    return test == 350 ? throw std::runtime_error("no memory") : false;
  };
  EXPECT_THROW(campaign(&others), std::runtime_error);
}

}  // namespace
}  // namespace plumb::lineup
