// SPDX-License-Identifier: MIT
// What a check makes of the answers of its engines: which violation it reports, confirmed by whom.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "check/pipeline/pipeline.hpp"
#include "plumb/check.hpp"
#include "support/history_text.hpp"

namespace plumb::test {
namespace {

using testing::HasSubstr;
using Ids = std::vector<OperationId>;

// What engines say of a part.
struct Given {
  Verdict verdict = Verdict::violation;
  bool confirmed = false;      // by a second one
  std::uint64_t steps = 0;     // that it takes
  std::uint64_t patience = 0;  // it is confirmed with so many times the usual steps; 0: never
};

// Asks no engine. Each part has one operation, which stands for it.
class GivenAnswers final : public Property {
 public:
  GivenAnswers(const History& history, std::vector<Given> given)
      : Property(history), given_(std::move(given)) {}

  HistoryProperty kind() const override { return HistoryProperty::linearizable; }
  Result<Partitioning> split() override { return make_partitions(history_, {}); }
  Answer decide(const Partition& part, Budget& budget) override {
    const Given& given = given_[operation(part)];
    Answer answer;
    answer.engine = "first";
    while (answer.stats.steps < given.steps && !budget.exhausted(1000)) answer.stats.steps += 1000;
    if (answer.stats.steps >= given.steps) answer.verdict = given.verdict;
    return answer;
  }
  std::string verify(const Partition&, const Answer&) const override { return {}; }
  Minimised minimise(const Partition& part, const Answer&, Budget&) override {
    minimised_.push_back(operation(part));
    Minimised cut;
    cut.operations = {0};
    if (given_[operation(part)].confirmed) cut.confirmed_by = "second";
    return cut;
  }
  void confirm(const Partition& part, const Answer&, std::uint64_t factor, Budget&,
               Minimised& cut) override {
    const std::uint64_t patience = given_[operation(part)].patience;
    if (patience != 0 && factor >= patience) cut.confirmed_by = "third";
  }
  bool explain(const Partition&, const Minimised&, Counterexample&, Budget&) override {
    return true;
  }

  const Ids& minimised() const { return minimised_; }

 private:
  static OperationId operation(const Partition& part) { return part.problem.ops.front().source; }

  std::vector<Given> given_;
  Ids minimised_;  // parts, in the order in which they were
};

struct Checked {
  CheckReport report;
  Ids minimised;
};

// Of three objects.
Checked check_given(std::vector<Given> given, bool keep_going = false, unsigned jobs = 1) {
  const History history =
      parse_history("A p.write(1): nil | A q.write(1): nil | A r.write(1): nil", "register");
  CheckOptions options;
  options.keep_going = keep_going;
  options.jobs = jobs;
  CheckProgress progress;
  GivenAnswers property(history, std::move(given));
  Result<CheckReport> report = Pipeline(property, history, options, progress).run();
  if (!report.ok()) throw std::logic_error(report.error().to_string());
  return {std::move(*report), property.minimised()};
}

constexpr Given kHolds = {Verdict::holds, false};
constexpr Given kConfirmed = {Verdict::violation, true};
constexpr Given kNotConfirmed = {Verdict::violation, false};

TEST(Violations, TheFirstThatIsConfirmedIsReported) {
  for (const bool keep_going : {false, true}) {
    const Checked c = check_given({kNotConfirmed, kConfirmed, kConfirmed}, keep_going);
    EXPECT_EQ(c.report.verdict, Verdict::violation);
    EXPECT_EQ(c.report.stopped, StopReason::none);
    EXPECT_EQ(c.report.reason, "");
    ASSERT_TRUE(c.report.counterexample);
    EXPECT_EQ(c.report.counterexample->confirmed_by, "second");
    EXPECT_EQ(c.report.counterexample->operations, Ids({1}));
    EXPECT_EQ(c.minimised, Ids({0, 1}));
    EXPECT_EQ(c.report.skipped_partitions, keep_going ? 0u : 1u);
  }
}

TEST(Violations, APartIsNotSkippedForOneThatIsNotConfirmed) {
  const Checked c = check_given({kNotConfirmed, kHolds, kConfirmed});
  EXPECT_EQ(c.report.verdict, Verdict::violation);
  EXPECT_EQ(c.minimised, Ids({0, 2}));
  ASSERT_EQ(c.report.partitions.size(), 3u);
  EXPECT_EQ(c.report.partitions[1].verdict, Verdict::holds);
  EXPECT_EQ(c.report.partitions[1].stopped, StopReason::none);
  EXPECT_EQ(c.report.skipped_partitions, 0u);
}

TEST(Violations, IfNoneIsConfirmedTheFirstIsShownAndNothingIsClaimed) {
  const Checked c = check_given({kNotConfirmed, kNotConfirmed, kNotConfirmed});
  EXPECT_EQ(c.report.verdict, Verdict::undecided);
  EXPECT_EQ(c.report.stopped, StopReason::not_confirmed);
  EXPECT_THAT(c.report.reason, HasSubstr("no second engine could confirm it within its limits"));
  ASSERT_TRUE(c.report.counterexample);
  EXPECT_EQ(c.report.counterexample->operations, Ids({0}));
  EXPECT_EQ(c.minimised, Ids({0, 1, 2}));
}

TEST(Violations, ThatAreHardToConfirmAreNotGivenUpEarly) {
  const Given hard = {.patience = 10};
  const Checked checked = check_given({hard, {.verdict = Verdict::holds}, hard});
  EXPECT_EQ(checked.report.verdict, Verdict::violation);
  EXPECT_EQ(checked.report.counterexample->confirmed_by, "third");
  EXPECT_EQ(checked.report.counterexample->operations, Ids{0});
}

TEST(Violations, AreNotKeptWaitingByAPartThatIsHardToDecide) {
  for (const unsigned jobs : {1u, 3u}) {
    const Checked c = check_given(
        {{Verdict::holds, false, 1000 * kStepsPerSecond}, kHolds, kConfirmed}, false, jobs);
    EXPECT_EQ(c.report.verdict, Verdict::violation);
    EXPECT_EQ(c.minimised, Ids({2}));
    EXPECT_EQ(c.report.partitions[0].verdict, Verdict::undecided);
    EXPECT_TRUE(c.report.partitions[0].skipped);
    EXPECT_EQ(c.report.partitions[1].verdict, Verdict::holds);
  }
}

TEST(Violations, SkipWhatComesLaterWhateverTheNumberOfThreads) {
  for (const unsigned jobs : {1u, 3u}) {
    const Checked c = check_given(
        {{Verdict::violation, true, kStepsPerSecond / 10}, kConfirmed, kHolds}, false, jobs);
    EXPECT_EQ(c.minimised, Ids({0}));
    EXPECT_EQ(c.report.skipped_partitions, 2u);
    for (const std::size_t later : {1, 2}) {
      EXPECT_EQ(c.report.partitions[later].verdict, Verdict::undecided);
      EXPECT_EQ(c.report.partitions[later].engine, "");
    }
  }
}

TEST(Parts, GetAsManyStepsAsTheyNeed) {
  const Given hard = {Verdict::holds, false, 10 * kStepsPerSecond};
  const Checked c = check_given({hard, kHolds, hard});
  EXPECT_EQ(c.report.verdict, Verdict::holds);
  for (const PartitionReport& part : c.report.partitions) EXPECT_EQ(part.verdict, Verdict::holds);
  const Given hidden = {Verdict::violation, true, 10 * kStepsPerSecond};
  EXPECT_EQ(check_given({hard, kHolds, hidden}).minimised, Ids({2}));
}

TEST(SecondEngine, IsNeverTheOneThatFoundTheViolation) {
  const History history =
      parse_history("A enq(1): nil | A enq(2): nil | B deq: 2 | B deq: 1", "queue");
  for (const std::string engine : {"auto", "queue", "brute", "jit", "wgl"}) {
    CheckOptions options;
    options.engine = engine;
    const Result<CheckReport> report = check(history, options);
    ASSERT_TRUE(report.ok()) << engine;
    ASSERT_EQ(report->verdict, Verdict::violation) << engine;
    EXPECT_EQ(report->counterexample->confirmed_by, engine == "brute" ? "jit" : "brute") << engine;
  }
}

// Which a search over thousands of values that are inside would not come to the end of.
TEST(Cores, OfALongQueueAreTheFourOperationsThatOvertook) {
  std::string text;
  const auto add = [&text](const std::string& events) {
    text += (text.empty() ? "" : " | ") + events;
  };
  for (int v = 1; v <= 3000; ++v) add("A enq(" + std::to_string(v) + "): nil");
  for (int v = 1; v <= 3000; ++v) {
    const int taken = v == 2000 ? 2001 : v == 2001 ? 2000 : v;
    add("B deq: " + std::to_string(taken));
  }
  const Result<CheckReport> report = check(parse_history(text, "queue"));
  ASSERT_TRUE(report.ok()) << report.error().to_string();
  ASSERT_EQ(report->verdict, Verdict::violation) << report->reason;
  ASSERT_TRUE(report->counterexample);
  EXPECT_EQ(report->counterexample->operations.size(), 4u);
  EXPECT_TRUE(report->counterexample->minimal);
  EXPECT_TRUE(report->counterexample->self_contained);
}

}  // namespace
}  // namespace plumb::test
