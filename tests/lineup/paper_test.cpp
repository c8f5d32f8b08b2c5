// SPDX-License-Identifier: MIT
// The examples of the Line-Up paper.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lineup/check.hpp"
#include "lineup/explain.hpp"
#include "lineup/observations.hpp"
#include "lineup/simulated.hpp"
#include "report/table.hpp"

namespace plumb::lineup {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

// Section 2.2.1: inc() takes no lock. shared: the count.
Simulated counter1() {
  return {"Counter1",
          {0},
          {{"inc",
            "inc()",
            {[](Shared& s, Local& l) { return l.x = s[0], next(); },
             [](Shared& s, Local& l) { return s[0] = l.x + 1, returns(); }}},
           {"get", "get()", {[](Shared& s, Local&) { return returns(std::to_string(s[0])); }}}}};
}

// Fig. 4: get() does not release the lock. shared: the count, the lock.
Simulated counter2() {
  const auto acquire = [](Shared& s, Local&) {
    if (s[1] != 0) return blocks();
    s[1] = 1;
    return next();
  };
  return {"Counter2",
          {0, 0},
          {{"inc",
            "inc()",
            {acquire, [](Shared& s, Local&) { return ++s[0], next(); },
             [](Shared& s, Local&) { return s[1] = 0, returns(); }}},
           {"get", "get()", {acquire, [](Shared& s, Local&) {
                               return returns(std::to_string(s[0]));
                             }}}}};
}

// Fig. 3: dec() waits for a count above zero.
Simulated semaphore(bool atomic) {
  std::vector<std::function<Step(Shared&, Local&)>> dec;
  if (atomic) {
    dec = {[](Shared& s, Local&) { return s[0] == 0 ? blocks() : (--s[0], returns()); }};
  } else {
    dec = {[](Shared& s, Local& l) { return s[0] == 0 ? blocks() : (l.x = s[0], next()); },
           [](Shared& s, Local& l) { return s[0] = l.x - 1, returns(); }};
  }
  return {"Counter",
          {0},
          {{"inc", "inc()", {[](Shared& s, Local&) { return ++s[0], returns(); }}},
           {"dec", "dec()", dec},
           {"get", "get()", {[](Shared& s, Local&) { return returns(std::to_string(s[0])); }}}}};
}

// Fig. 7: a queue of up to two. shared: the number of items, the items.
Simulated queue() {
  const auto add = [](int v) {
    return [v](Shared& s, Local&) { return s[static_cast<std::size_t>(++s[0])] = v, returns(); };
  };
  const auto take = [](Shared& s) {
    const int v = s[1];
    s[1] = s[2];
    --s[0];
    return returns(std::to_string(v));
  };
  return {
      "Queue",
      {0, 0, 0},
      {{"Add", "Add(200)", {add(200)}},
       {"Add", "Add(400)", {add(400)}},
       {"Take", "Take()", {[take](Shared& s, Local&) { return s[0] == 0 ? blocks() : take(s); }}},
       {"TryTake", "TryTake()", {[take](Shared& s, Local&) {
          return s[0] == 0 ? returns("Fail") : take(s);
        }}}}};
}

CheckResult check_all(Simulated& runner, const std::string& test, bool classic = false) {
  CheckSettings settings;
  settings.classic = classic;
  return check(runner, runner.object(), runner.test(test), settings);
}

TEST(LineUp, Section_2_2_1_CounterWithoutLockIsNotLinearizable) {
  Simulated counter = counter1();
  const CheckResult result = check_all(counter, "inc, get | inc");
  EXPECT_EQ(result.verdict, CheckResult::TestVerdict::fail);
  EXPECT_EQ(result.failure, Failure::unexplained);
  EXPECT_TRUE(is_violation(counter.test("inc, get | inc"), *result.history, result.serial, false));
}

TEST(LineUp, Figure_4_CounterThatKeepsItsLockBlocksWithoutReason) {
  Simulated counter = counter2();
  const CheckResult result = check_all(counter, "inc, get | inc");
  // Serially too, inc() blocks after get(): a specification of its own, so nothing is wrong with
  // this test alone ...
  EXPECT_EQ(result.verdict, CheckResult::TestVerdict::pass);
  EXPECT_GT(result.stuck_histories, 0u);
}

TEST(LineUp, Section_2_2_2_HistoryOfFigure_4_IsLinearizableOnlyByTheOldDefinition) {
  // ... but against the counter of Fig. 3 it is: inc() has no reason to wait.
  Simulated right = semaphore(true);
  const Matrix test = right.test("inc, get | inc");
  const CheckResult serial = check_all(right, "inc, get | inc");
  ASSERT_EQ(serial.verdict, CheckResult::TestVerdict::pass);
  const ResultId ok = right.results().number(""), one = right.results().number("1");
  const ObservedHistory figure4{
      {{0, false, 0}, {0, true, ok}, {1, false, 0}, {1, true, one}, {2, false, 0}}, true, {}, {}};
  EXPECT_TRUE(is_violation(test, figure4, serial.serial, false));
  EXPECT_FALSE(is_violation(test, figure4, serial.serial, true));
}

TEST(LineUp, Figure_3_BlockingDecPassesAndItsStuckHistoriesAreJustified) {
  Simulated counter = semaphore(true);
  const CheckResult result = check_all(counter, "dec | inc, dec");
  EXPECT_EQ(result.verdict, CheckResult::TestVerdict::pass);
  EXPECT_GT(result.stuck_histories, 0u);
  Simulated wrong = semaphore(false);
  EXPECT_EQ(check_all(wrong, "pre inc, inc; dec | dec; post get").failure, Failure::unexplained);
}

TEST(LineUp, Figure_7_ObservationFile) {
  Simulated runner = queue();
  const Matrix test = runner.test("Add(200), Add(400) | Take, TryTake");
  const CheckResult result = check_all(runner, "Add(200), Add(400) | Take, TryTake");
  EXPECT_EQ(result.verdict, CheckResult::TestVerdict::pass);
  const std::string figure = R"(<observationset>
  <observation>
    <thread id="A">1 2</thread>
    <thread id="B">3 4</thread>
    <op id="1" name="Add">value="200"</op>
    <op id="2" name="Add">value="400"</op>
    <op id="3" name="Take">result="200"</op>
    <op id="4" name="TryTake">result="Fail"</op>
    <history>1[ ]1 3[ ]3 4[ ]4 2[ ]2</history>
  </observation>
  <observation>
    <thread id="A">1 2</thread>
    <thread id="B">3 4</thread>
    <op id="1" name="Add">value="200"</op>
    <op id="2" name="Add">value="400"</op>
    <op id="3" name="Take">result="200"</op>
    <op id="4" name="TryTake">result="400"</op>
    <history>1[ ]1 2[ ]2 3[ ]3 4[ ]4</history>
    <history>1[ ]1 3[ ]3 2[ ]2 4[ ]4</history>
  </observation>
  <observation>
    <thread id="A"></thread>
    <thread id="B">1B</thread>
    <op id="1" name="Take" />
    <history>1[ #</history>
  </observation>
</observationset>
)";
  EXPECT_EQ(to_xml(test, runner.object(), result.serial, runner.results()), figure);
  SerialHistories read;
  ASSERT_EQ(from_xml(figure, test, runner.object(), runner.results(), read), "");
  EXPECT_EQ(to_xml(test, runner.object(), read, runner.results()), figure);
}

TEST(LineUp, Figure_7_ViolationAgainstTheObservationFile) {
  Simulated runner = queue();
  const Matrix test = runner.test("Add(200), Add(400) | Take, TryTake");
  CheckResult result = check_all(runner, "Add(200), Add(400) | Take, TryTake");
  const ResultId ok = runner.results().number(""), r200 = runner.results().number("200"),
                 failed = runner.results().number("Fail");
  // 1[ 3[ ]1 2[ ]3 ]2 4[ ]4
  const ObservedHistory bottom{{{0, false, 0},
                                {2, false, 0},
                                {0, true, ok},
                                {1, false, 0},
                                {2, true, r200},
                                {1, true, ok},
                                {3, false, 0},
                                {3, true, failed}},
                               false,
                               {},
                               {}};
  EXPECT_TRUE(is_violation(test, bottom, result.serial, false));
  result.verdict = CheckResult::TestVerdict::fail;
  result.failure = Failure::unexplained;
  result.history = bottom;
  const Explanation explanation = explain(test, runner.object(), result, runner.results());
  ASSERT_TRUE(explanation.counterexample);
  EXPECT_THAT(
      report::make_table({explanation.history, nullptr, {}}, *explanation.counterexample, 100),
      Contains(HasSubstr("◀ impossible")));
  ASSERT_EQ(explanation.why.size(), 2u);
  EXPECT_THAT(explanation.why[1],
              HasSubstr("There TryTake() of B returns 400; here it returns Fail."));
}

TEST(LineUp, Section_2_1_2_TwoHistoriesThatPartAfterACallAreNondeterministic) {
  SerialHistories serial;
  serial.add(SerialHistory{{0, 1}, {1, 2}});
  serial.add(SerialHistory{{1, 1}, {0, 2}});
  const auto none = [](int) { return false; };
  EXPECT_FALSE(serial.nondeterminism(none));
  serial.add(SerialHistory{{0, 1}, {1, 0, true}});  // once it returns, once it blocks
  const auto fork = serial.nondeterminism(none);
  ASSERT_TRUE(fork);
  EXPECT_EQ(fork->first, (SerialHistory{{0, 1}, {1, 2}}));
  EXPECT_EQ(fork->second, (SerialHistory{{0, 1}, {1, 0, true}}));
  EXPECT_FALSE(serial.nondeterminism([](int operation) { return operation == 1; }));
}

TEST(Observations, BadFilesAreRefusedWithTheirLine) {
  Simulated runner = queue();
  const Matrix test = runner.test("Add(200) | Take");
  SerialHistories serial;
  const auto error = [&](const std::string& xml) {
    return from_xml(xml, test, runner.object(), runner.results(), serial);
  };
  EXPECT_EQ(error("nothing"), "line 1: this is not an <observationset>");
  EXPECT_EQ(error("<observationset>\n<observation>\n<op name=\"Add\"/>"),
            "line 3: <op> needs an id, which is a number, and a name");
  EXPECT_EQ(error("<observationset><observation><history>1[ ]1</history>"),
            "line 1: '1[' is not a call of an operation of this section");
  EXPECT_EQ(error("<observationset><observation>\n<thread id=\"A\">1"),
            "line 2: <thread> has no end");
  EXPECT_EQ(error("<observationset><observation><op id=\"1\" name=\"x\"/><history>1[ ]2</history>"),
            "line 1: ']2' does not return from the call before it");
}

TEST(Tests, TextIsReadBack) {
  Simulated runner = queue();
  for (const char* text :
       {"Add(200) | Take()", "pre Add(200), Add(400); Take() | TryTake(); post Take()",
        "Add(200), Take() | Add(400) | TryTake()"}) {
    EXPECT_EQ(to_text(runner.test(text), runner.object()), text);
  }
  EXPECT_EQ(runner.test("Add( 200 )||Take"), runner.test("Add(200) | Take()"));
  Matrix test;
  EXPECT_EQ(parse("", runner.object(), test), "a test calls at least one operation");
  EXPECT_EQ(parse("Add(200) | Grab", runner.object(), test),
            "there is no operation 'Grab'; there are Add(200), Add(400), Take(), TryTake()");
  EXPECT_EQ(parse("Take; Take", runner.object(), test), "columns are separated by '|', not by ';'");
}

}  // namespace
}  // namespace plumb::lineup
