// SPDX-License-Identifier: MIT
// The two that everything else is measured by: the verifier refuses every kind of wrong witness,
// and `brute` says when a problem is too large for it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/history_text.hpp"

namespace plumb::test {
namespace {

using testing::HasSubstr;
using Orders = std::vector<std::vector<OperationId>>;

std::string verify(const Case& c, Orders orders) {
  Answer answer;
  answer.verdict = Verdict::holds;
  answer.witnesses = std::move(orders);
  return verify_witness(c.problem, answer);
}

// enq(1) overlaps enq(2), both precede deq; enq(3) is pending.
constexpr const char* kQueue = "A enq(1) | B enq(2) | A: nil | B: nil | C enq(3) | A deq: 2";

TEST(Verifier, AcceptsEveryRightOrder) {
  const Case c(kQueue, "queue");
  EXPECT_EQ(verify(c, {{1, 0, 3}}), "");
  EXPECT_EQ(verify(c, {{1, 0, 2, 3}}), "");
  EXPECT_EQ(verify(c, {{1, 0, 3, 2}}), "");
}
TEST(Verifier, RefusesAnOrderWithoutACompletedOperation) {
  EXPECT_THAT(verify(Case(kQueue, "queue"), {{1, 0}}), HasSubstr("not in the order"));
}
TEST(Verifier, RefusesAnOperationTwice) {
  EXPECT_THAT(verify(Case(kQueue, "queue"), {{1, 1, 0, 3}}), HasSubstr("twice"));
}
TEST(Verifier, RefusesAnOperationThatDoesNotExist) {
  EXPECT_THAT(verify(Case(kQueue, "queue"), {{1, 0, 3, 4}}), HasSubstr("no operation 4"));
}
TEST(Verifier, RefusesWhatContradictsRealTime) {
  EXPECT_THAT(verify(Case(kQueue, "queue"), {{1, 3, 0}}), HasSubstr("before"));
  EXPECT_THAT(verify(Case(kQueue, "queue"), {{2, 1, 0, 3}}), HasSubstr("before"))
      << "a pending operation too is called after what has returned";
}
TEST(Verifier, RefusesWhatContradictsTheOrderOfAProcess) {
  const Case c("A write(1): nil @0-10 | A write(2): nil @5-10 | B read: 1 @20-30", "register");
  ASSERT_EQ(c.problem.ops[1].after, 0u);
  EXPECT_THAT(verify(c, {{1, 0, 2}}), HasSubstr("in its process"));
}
TEST(Verifier, RefusesWhatTheSpecificationDoesNotAllow) {
  EXPECT_THAT(verify(Case(kQueue, "queue"), {{0, 1, 3}}), HasSubstr("not allowed"));
}
TEST(Verifier, RefusesMoreOrFewerOrdersThanWanted) {
  EXPECT_THAT(verify(Case(kQueue, "queue"), {}), HasSubstr("0 orders"));
  EXPECT_THAT(verify(Case(kQueue, "queue"), {{1, 0, 3}, {1, 0, 3}}), HasSubstr("2 orders"));
}
TEST(Verifier, WantsABlockingEndForEachStuckOperation) {
  const Case c("A lock: nil | B unlock | B: nil | A lock | B lock: nil | C unlock | C! | #",
               "mutex");
  // Operations: 0 lock, 1 unlock, 2 lock (stuck), 3 lock, 4 unlock (crashed).
  EXPECT_EQ(verify(c, {{0, 1, 3}}), "");
  EXPECT_THAT(verify(c, {{0, 1, 3, 4}}), HasSubstr("not blocked"));
  EXPECT_THAT(verify(c, {{0, 1, 3, 2}}), HasSubstr("takes effect"));
}

TEST(Brute, TakesTwelveOperationsAndSaysSoOfMore) {
  std::string text;
  for (int i = 0; i < 12; ++i) text += "A write(" + std::to_string(i) + "): nil | ";
  EXPECT_EQ(decide_verified("brute", Case(text, "register").problem).verdict, Verdict::holds);
  const Answer answer = decide_verified("brute", Case(text + "A read: 11", "register").problem);
  EXPECT_EQ(answer.verdict, Verdict::undecided);
  EXPECT_THAT(answer.reason, HasSubstr("12"));
}

}  // namespace
}  // namespace plumb::test
