// SPDX-License-Identifier: MIT
// Tests of relaxed objects: what is asked of their histories, and tests that take out what they put
// in (Round-Up, section V-B).
#include "lineup/by_specification.hpp"

#include <gtest/gtest.h>

#include "lineup/to_history.hpp"

namespace plumb::lineup {
namespace {

Object queue_object() {
  Object object{"Queue", {}};
  for (const char* text : {"enq(1)", "enq(2)", "deq()", "size()"}) {
    Invocation it;
    it.text = text;
    it.method = it.text.substr(0, it.text.find('('));
    object.invocations.push_back(it);
  }
  return object;
}

BySpecification relaxed(Relaxation relaxation, std::int64_t factor, std::string method = "deq") {
  BySpecification by;
  by.specification = find_specification("queue");
  by.quasi.sets = {{{std::move(method)}, factor}};
  by.quasi.relaxation = relaxation;
  return by;
}

Matrix parsed(const std::string& text) {
  Matrix test;
  EXPECT_EQ(parse(text, queue_object(), test), "");
  return test;
}

std::string drained_text(const std::string& text, Relaxation relaxation) {
  return to_text(drained(parsed(text), queue_object(), relaxed(relaxation, 1)), queue_object());
}

TEST(LineUpBySpecification, RelaxationsThatPermuteTakeOutAllThatWasPutIn) {
  EXPECT_EQ(drained_text("enq(1), enq(2) | deq", Relaxation::slot),
            "enq(1), enq(2) | deq(); post deq(), deq()");
  EXPECT_EQ(drained_text("pre enq(1); deq | enq(2); post deq", Relaxation::all),
            "pre enq(1); deq() | enq(2); post deq(), deq()");
  EXPECT_EQ(drained_text("deq | deq", Relaxation::def4), "deq() | deq()");
}

TEST(LineUpBySpecification, StrictNeedsNoSuchEnd) {
  EXPECT_EQ(drained_text("enq(1), enq(2) | deq", Relaxation::strict), "enq(1), enq(2) | deq()");
}

TEST(LineUpBySpecification, SaysWhatCanBeRelaxed) {
  const Object object = queue_object();
  EXPECT_EQ(wrong_question(relaxed(Relaxation::strict, 1), object), "");
  EXPECT_EQ(wrong_question({}, object), "");
  EXPECT_NE(wrong_question(relaxed(Relaxation::strict, 1, "steal"), object).find("one of: "),
            std::string::npos);
  EXPECT_NE(wrong_question(relaxed(Relaxation::strict, 1, "enq"), object).find("slot, all or def4"),
            std::string::npos);
  EXPECT_NE(wrong_question(relaxed(Relaxation::strict, -1), object).find("out of range"),
            std::string::npos);
}

// A test's operations one after the other, with these results.
ObservedHistory one_after_the_other(const std::vector<std::string>& returns, Results& results) {
  ObservedHistory history;
  for (std::size_t i = 0; i < returns.size(); ++i) {
    const int operation = static_cast<int>(i);
    history.events.push_back({operation, false, 0});
    history.events.push_back({operation, true, results.number(returns[i])});
  }
  return history;
}

Verdict verdict(const std::string& test, const std::vector<std::string>& returns,
                const BySpecification& by) {
  Results results;
  const Matrix matrix = parsed(test);
  const ObservedHistory history = one_after_the_other(returns, results);
  const Object object = queue_object();
  const auto report = decide(by, to_history(matrix, object, history, results, true), false);
  EXPECT_TRUE(report.ok()) << report.error().message;
  return report->check.verdict;
}

TEST(LineUpBySpecification, AHistoryMayBeOutOfOrderByItsFactor) {
  const std::string test = "enq(1), enq(2), deq, deq";
  const std::vector<std::string> swapped{"", "", "2", "1"};
  EXPECT_EQ(verdict(test, swapped, relaxed(Relaxation::strict, 0)), Verdict::violation);
  EXPECT_EQ(verdict(test, swapped, relaxed(Relaxation::strict, 1)), Verdict::holds);
  EXPECT_EQ(verdict(test, swapped, relaxed(Relaxation::slot, 1)), Verdict::holds);
}

TEST(LineUpBySpecification, ValuesAreLeftInsideIfLessWasTakenOutThanPutIn) {
  const auto leaves = [](const std::string& test, const std::vector<std::string>& returns,
                         Relaxation relaxation) {
    Results results;
    const ObservedHistory history = one_after_the_other(returns, results);
    return leaves_values(relaxed(relaxation, 1), parsed(test), queue_object(), history, results);
  };
  EXPECT_TRUE(leaves("enq(1), enq(2), deq", {"", "", "2"}, Relaxation::slot));
  EXPECT_TRUE(leaves("enq(1), deq, deq", {"", "null", "null"}, Relaxation::all));
  EXPECT_FALSE(leaves("enq(1), enq(2), deq, deq", {"", "", "2", "1"}, Relaxation::slot));
  EXPECT_FALSE(leaves("deq, enq(1), deq", {"null", "", "1"}, Relaxation::def4));
  // Strict needs no such care.
  EXPECT_FALSE(leaves("enq(1), enq(2), deq", {"", "", "2"}, Relaxation::strict));
}

TEST(LineUpBySpecification, CountsTheColumnsOfRoundUp) {
  const auto count = [](const std::string& test, const std::vector<std::string>& returns,
                        const BySpecification& by) {
    Results results;
    const Object object = queue_object();
    const Matrix matrix = parsed(test);
    return count_permutations(
        by, to_history(matrix, object, one_after_the_other(returns, results), results, true));
  };
  const std::string test = "enq(1), enq(2), enq(1), enq(2), deq, deq, deq, deq";
  const PermutationCount holds =
      count(test, {"", "", "", "", "2", "1", "1", "2"}, relaxed(Relaxation::slot, 2));
  EXPECT_EQ(holds.verdict, Verdict::holds);
  EXPECT_EQ(holds.sequentializations, 1U);
  EXPECT_EQ(holds.permutations, 14U);
  const PermutationCount violation =
      count(test, {"", "", "", "", "2", "2", "1", "1"}, relaxed(Relaxation::slot, 0));
  EXPECT_EQ(violation.verdict, Verdict::violation);
  EXPECT_EQ(violation.permutations, 1U);
  BySpecification strict = relaxed(Relaxation::strict, 1);
  strict.counts_permutations = true;
  EXPECT_NE(wrong_question(strict, queue_object()).find("slot, all and def4"), std::string::npos);
}

TEST(LineUpBySpecification, ATestWithoutRelaxedOperationsIsJudgedAsItIs) {
  EXPECT_EQ(verdict("enq(1), enq(2)", {"", ""}, relaxed(Relaxation::strict, 1)), Verdict::holds);
}

}  // namespace
}  // namespace plumb::lineup
