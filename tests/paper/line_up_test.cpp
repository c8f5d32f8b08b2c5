// SPDX-License-Identifier: MIT
// S. Burckhardt, C. Dern, M. Musuvathi, R. Tan: Line-Up. Sections 2.1-2.3 and Figures 2, 4 and 7.
#include <gtest/gtest.h>

#include <algorithm>

#include "plumb/check.hpp"
#include "plumb/describe.hpp"
#include "support/history_text.hpp"

namespace plumb::test {
namespace {

// Figure 3: a counter whose dec blocks at zero.
struct Counter {
  int count = 0;
  auto state() const { return std::tie(count); }
  void inc() { ++count; }
  void dec() {
    if (count == 0) block();
    --count;
  }
  void set(int x) { count = x; }
  int get() const { return count; }
};

const Specification& counter() {
  static const auto spec = describe<Counter>("blocking-counter")
                               .method("inc", &Counter::inc)
                               .method("dec", &Counter::dec)
                               .blocks()
                               .method("set", &Counter::set)
                               .method("get", &Counter::get);
  return spec;
}

Verdict of(std::string_view text) { return verdict(Case(text, counter())); }

TEST(LineUp, Figure2IsWellFormedAndLinearizableThoughItsIncIsPending) {
  const Case c("A set(0) | B get | A: nil | A inc | B: 0 | B get | B: 1", counter());
  EXPECT_EQ(c.history.processes.size(), 2u);
  EXPECT_FALSE(c.history.returned(2));
  ASSERT_EQ(verdict(c), Verdict::holds);
  const auto order = decide_verified("brute", c.problem).witnesses[0];
  EXPECT_NE(std::find(order.begin(), order.end(), 2u), order.end()) << "get = 1 needs the inc";
}

TEST(LineUp, Section212WhatTheSpecificationContains) {
  EXPECT_EQ(of("A inc: nil | B get: 1"), Verdict::holds);
  EXPECT_EQ(of("A inc: nil | B get: 0"), Verdict::violation);
  EXPECT_EQ(of("A dec: nil"), Verdict::violation);
}

TEST(LineUp, Section221BuggyCounter1LosesAnIncrement) {
  const Case c("A inc | B inc | A: nil | B: nil | A get: 1", counter());
  EXPECT_EQ(verdict(c), Verdict::violation);
  EXPECT_EQ(decide_verified("brute", c.problem).failing_event, c.problem.ops[2].ret);
}

TEST(LineUp, Figure4StuckInIncIsAViolationOnlyByDefinition2) {
  EXPECT_EQ(of("A inc: nil | A get: 1 | B inc"), Verdict::holds) << "by Definition 1";
  const Case stuck("A inc: nil | A get: 1 | B inc | #", counter());
  EXPECT_EQ(verdict(stuck), Verdict::violation);
  for (const std::string& engine : general_engines())
    EXPECT_EQ(decide_verified(engine, stuck.problem).unjustified, 2u) << engine;
}

TEST(LineUp, Section23DecOnZeroIsAReasonToBlock) {
  EXPECT_EQ(of("A dec | #"), Verdict::holds);
  EXPECT_EQ(of("A inc: nil | A dec | #"), Verdict::violation);
  EXPECT_EQ(of("A dec | B dec | #"), Verdict::holds);
}

TEST(LineUp, Definition2EveryPendingOperationNeedsItsOwnReason) {
  const Case c("A dec | B inc | #", counter());
  EXPECT_EQ(verdict(c), Verdict::violation);
  EXPECT_EQ(decide_verified("wgl", c.problem).unjustified, 1u);
}

TEST(LineUp, Definition2EachReasonMayComeFromAnotherOrder) {
  // set(0) and set(1) overlap: dec blocks after set(1) set(0); wait_zero after set(0) set(1).
  struct Gate : Counter {
    void wait_zero() {
      if (count != 0) block();
    }
  };
  const auto gate = describe<Gate>("gate")
                        .method("set", &Gate::set)
                        .method("dec", &Gate::dec)
                        .method("wait_zero", &Gate::wait_zero);
  EXPECT_EQ(verdict(Case("A set(0) | B set(1) | A: nil | B: nil | C dec | D wait_zero | #", gate)),
            Verdict::holds);
}

TEST(LineUp, Definition2RemovesTheOtherPendingOperations) {
  // The get needs the inc, which is stuck and so has no effect.
  const Case c("A inc | B get: 1 | #", counter());
  EXPECT_EQ(verdict(c), Verdict::violation);
  const Answer answer = decide_verified("brute", c.problem);
  EXPECT_EQ(answer.unjustified, kNone);
  EXPECT_EQ(answer.failing_event, c.problem.ops[1].ret);
}

TEST(LineUp, CrashedOperationsAreOptionalAndNotJudged) {
  EXPECT_EQ(of("A inc | A! | B get: 1 | B dec: nil | B dec | #"), Verdict::holds);
  EXPECT_EQ(of("A inc | A! | B dec | #"), Verdict::holds);
  EXPECT_EQ(of("A inc | A! | B get: 1 | B dec | #"), Verdict::violation);
}

TEST(LineUp, AStuckHistoryWithoutPendingOperationsIsJudgedByDefinition1) {
  EXPECT_EQ(of("A inc: nil | #"), Verdict::holds);
  EXPECT_EQ(of("A get: 1 | #"), Verdict::violation);
}

TEST(LineUp, AStuckHistoryIsNotSplitByKey) {
  const History h =
      parse_history("A insert(1): true | B insert(2): true | A contains(1) | #", "set");
  const Result<CheckReport> report = plumb::check(h);
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(report->partitions.size(), 1u);
  EXPECT_EQ(report->verdict, Verdict::violation);
}

// Figure 7: the specification is the set of the serial histories that were observed.
struct Observed {
  struct Step {
    std::string call, result;
  };
  std::vector<std::string> done;
  auto state() const { return std::tie(done); }

  static const std::vector<std::vector<Step>>& observations() {
    static const std::vector<std::vector<Step>> all = {
        {{"Add(200)", ""}, {"Take", "200"}, {"TryTake", "Fail"}, {"Add(400)", ""}},
        {{"Add(200)", ""}, {"Add(400)", ""}, {"Take", "200"}, {"TryTake", "400"}},
        {{"Add(200)", ""}, {"Take", "200"}, {"Add(400)", ""}, {"TryTake", "400"}}};
    return all;
  }
  // The third observation, `Take #`, is that no history begins with Take.
  std::string run(const std::string& call) {
    for (const auto& history : observations()) {
      const bool begins_so =
          done.size() < history.size() &&
          std::equal(done.begin(), done.end(), history.begin(),
                     [](const std::string& c, const Step& step) { return c == step.call; });
      if (!begins_so || history[done.size()].call != call) continue;
      done.push_back(call);
      return history[done.size() - 1].result;
    }
    block();
  }
  void add(int v) { run("Add(" + std::to_string(v) + ")"); }
  std::string take() { return run("Take"); }
  std::string try_take() { return run("TryTake"); }
};

const Specification& observed() {
  static const auto spec = describe<Observed>("observed")
                               .method("Add", &Observed::add)
                               .method("Take", &Observed::take)
                               .method("TryTake", &Observed::try_take);
  return spec;
}

constexpr const char* kFigure7 =
    "A Add(200) | B Take | A: nil | A Add(400) | B: \"200\" | A: nil | B TryTake: \"Fail\"";

TEST(LineUp, Figure7NoSerialWitnessIsInTheObservationSet) {
  const Case c(kFigure7, observed());
  EXPECT_EQ(verdict(c), Verdict::violation);
  EXPECT_EQ(decide_verified("brute", c.problem).failing_event, c.problem.ops[3].ret);
}

TEST(LineUp, Figure7TheObservedHistoriesThemselvesHold) {
  for (const char* text :
       {"A Add(200): nil | B Take: \"200\" | B TryTake: \"Fail\" | A Add(400): nil",
        "A Add(200): nil | A Add(400): nil | B Take: \"200\" | B TryTake: \"400\"",
        "A Add(200): nil | B Take: \"200\" | A Add(400): nil | B TryTake: \"400\"", "B Take | #"})
    EXPECT_EQ(verdict(Case(text, observed())), Verdict::holds) << text;
}

TEST(LineUp, Figure7IsTheSameViolationOfABlockingQueue) {
  EXPECT_EQ(verdict(Case("A enq(200) | B deq | A: nil | A enq(400) | B: 200 | A: nil | "
                         "B try_deq: nil",
                         "blocking-queue")),
            Verdict::violation);
  EXPECT_EQ(verdict(Case("A enq(200) | B deq | A: nil | A enq(400) | B: 200 | B try_deq: nil | "
                         "A: nil",
                         "blocking-queue")),
            Verdict::holds)
      << "while Add(400) is under way, TryTake may fail";
}

}  // namespace
}  // namespace plumb::test
