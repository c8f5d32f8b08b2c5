// SPDX-License-Identifier: MIT
// Rules that look right, were tried, and are wrong. Each has the history that refutes it.
#include <gtest/gtest.h>

#include "support/history_text.hpp"

namespace plumb::test {
namespace {

// Under every setting of jit's prunings.
void expect_everywhere(const Case& c, Verdict expected) {
  EXPECT_EQ(verdict(c), expected);
  for (unsigned bits = 0; bits < 16; ++bits) {
    EngineOptions options;
    options.breadth_first = bits & 1;
    options.depth_first = !options.breadth_first;
    options.pure_labels = bits & 2;
    options.deadline_first = bits & 4;
    options.domination = bits & 8;
    EXPECT_EQ(decide_verified("jit", c.problem, options).verdict, expected) << bits;
  }
}

// "Linearize at once what leaves the current state unchanged": purity is a matter of the label.
TEST(RefutedRules, AWriteOfTheCurrentValueMustBeAbleToWait) {
  expect_everywhere(
      Case("A write(1) | B write(2): nil | B read: 1 | A: nil", "register", Value::integer(1)),
      Verdict::holds);
}
TEST(RefutedRules, ACasThatChangesNothingNowMayChangeSomethingLater) {
  expect_everywhere(
      Case("A write(0) | B write(1): nil | C cas(0, 2): true | A: nil | B read: 2", "register"),
      Verdict::holds);
}
TEST(RefutedRules, AnAdditionThatIsTakenAtOnceIsNotAlwaysTheRightOne) {
  expect_everywhere(Case("A add(0) | B set(5): nil | A: nil | B get: 5", "counter"),
                    Verdict::holds);
}

// "A failed cas(v) is possible iff it does not lie inside a forward zone of v", that is, between
// the first return and the last call of the operations that write or read v. Necessary, but not
// sufficient: this one reaches beyond the zone of 1, where nobody writes anything else.
TEST(RefutedRules, AFailedCasOutsideTheForwardZoneMayStillBeImpossible) {
  const Case impossible("A write(1): nil | B cas(1, 2) | A read: 1 | B: false", "register");
  expect_everywhere(impossible, Verdict::violation);
  const Answer declined = decide_verified("zones", impossible.problem);
  EXPECT_EQ(declined.verdict, Verdict::undecided);
  EXPECT_EQ(declined.reason, "a cas failed");
  expect_everywhere(
      Case("A write(1): nil | B cas(1, 2) | A read: 1 | A write(3) | B: false | A: nil",
           "register"),
      Verdict::holds);
}

// "Delete operations to minimise a violation": without its enq, a deq becomes one.
TEST(RefutedRules, DeletingAnOperationCanManufactureAViolation) {
  const Case c("A enq(1): nil | B deq: 1", "queue");
  EXPECT_EQ(verdict(c), Verdict::holds);
  EXPECT_EQ(verdict(restrict(c.problem, {1})), Verdict::violation);
  EXPECT_EQ(verdict(restrict(c.problem, {1}, {0})), Verdict::holds) << "weakening cannot";
}

// "An optional operation that leaves the state as it is need not be linearized": another operation
// of its process may wait for it. Here fetch_inc needs an inc that comes after add(0).
TEST(RefutedRules, AnOptionalOperationThatChangesNothingMayBeNeeded) {
  const Case c("A fetch_inc: 1 @0-10 | B add(0): nil @1-20 | B inc: nil @2-30", "counter");
  EXPECT_EQ(verdict(c), Verdict::holds);
  EXPECT_EQ(verdict(prefix(c.problem, c.problem.ops[0].ret)), Verdict::holds);
}

// What did a removal take that did not return? For a queue the oldest element that stayed is the
// best guess (src/check/monitors/queue.cpp); for others no such rule is right.
void expect_of_monitor(const char* monitor, const Case& c, Verdict expected) {
  EXPECT_EQ(verdict(c), expected);
  EXPECT_EQ(decide_verified(monitor, c.problem).verdict, expected);
}

// "A pop that did not return took the youngest element that stayed."
TEST(RefutedRules, AnOpenPopNeedNotTakeTheYoungest) {
  expect_of_monitor("stack", Case("A push(1): nil | D pop | A pop: nil | A push(2): nil", "stack"),
                    Verdict::holds);
}
// "... took the one whose push returned first."
TEST(RefutedRules, AnOpenPopNeedNotTakeTheOldest) {
  expect_of_monitor(
      "stack", Case("A push(1): nil | A push(2): nil | A push(3): nil | D pop | A pop: 2", "stack"),
      Verdict::holds);
}
// "A poll that did not return took the most urgent element that stayed."
TEST(RefutedRules, AnOpenPollNeedNotTakeTheMostUrgent) {
  expect_of_monitor("priority-queue",
                    Case("A insert(3): nil | D poll | A poll: nil | A insert(5): nil", "pqueue"),
                    Verdict::holds);
  expect_of_monitor(
      "priority-queue",
      Case("A insert(3): nil | D poll | A poll: nil | A insert(1): nil", "pqueue-min"),
      Verdict::holds);
}
// "... took the least urgent one."
TEST(RefutedRules, AnOpenPollNeedNotTakeTheLeastUrgent) {
  expect_of_monitor("priority-queue",
                    Case("A insert(1): nil | A insert(5): nil | A insert(3): nil | D poll | "
                         "A poll: 3",
                         "pqueue"),
                    Verdict::holds);
}
// One open removal explains one of these, not both.
TEST(RefutedRules, AnOpenRemovalTakesOneElement) {
  expect_of_monitor(
      "stack", Case("A push(1): nil | A push(2): nil | A push(3): nil | D pop | A pop: 1", "stack"),
      Verdict::violation);
  expect_of_monitor("priority-queue",
                    Case("A insert(4): nil | A insert(5): nil | A insert(3): nil | D poll | "
                         "A poll: 3",
                         "pqueue"),
                    Verdict::violation);
  expect_of_monitor(
      "queue", Case("A enq(1): nil | A enq(2): nil | A enq(3): nil | D deq | A deq: 3", "queue"),
      Verdict::violation);
}

}  // namespace
}  // namespace plumb::test
