// SPDX-License-Identifier: MIT
// What other checkers get wrong, each seen in one of them.
#include <gtest/gtest.h>

#include "plumb/check.hpp"
#include "support/history_text.hpp"

namespace plumb::test {
namespace {

TEST(Peers, APendingWriteMayHaveBeenRead) {
  EXPECT_EQ(verdict(Case("A write(1) | B read: 1", "register")), Verdict::holds);
  EXPECT_EQ(verdict(Case("A write(1) | B read: 0 | B read: 1 | B read: 0", "register")),
            Verdict::violation)
      << "but it does not come and go";
}

TEST(Peers, ATrailingPendingReadChangesNothing) {
  EXPECT_EQ(verdict(Case("A write(1): nil | B read: 1 | B read", "register")), Verdict::holds);
  EXPECT_EQ(verdict(Case("A write(1): nil | B read: 0 | B read", "register")), Verdict::violation);
}

TEST(Peers, APendingRemovalMayHaveRemoved) {
  EXPECT_EQ(verdict(Case("A enq(1): nil | B deq | A deq: nil", "queue")), Verdict::holds);
  EXPECT_EQ(verdict(Case("A enq(1): nil | A deq: nil | B deq", "queue")), Verdict::violation);
}

TEST(Peers, AKeyMayBeInsertedAgain) {
  const char* text =
      "A insert(1): true | A remove(1): true | A insert(1): true | B insert(1): false | "
      "B remove(1): true | A contains(1): false";
  EXPECT_EQ(verdict(Case(text, "set")), Verdict::holds);
  EXPECT_EQ(plumb::check(parse_history(text, "set"))->verdict, Verdict::holds);
}

// On this index every order of the additions gives another state, and none explains the read.
std::string hard(int index) {
  std::string text;
  for (int i = 0; i < 14; ++i)
    text += std::to_string(index * 100 + i) + " append(" + std::to_string(index) + ", " +
            std::to_string(i) + ") | ";
  for (int i = 0; i < 14; ++i) text += std::to_string(index * 100 + i) + ": nil | ";
  return text + "R get(" + std::to_string(index) + "): nil | ";
}
std::string easy(int index) {
  return "W put(" + std::to_string(index) + ", 7): nil | W get(" + std::to_string(index) +
         "): 7 | ";
}

TEST(Peers, AnUndecidedPartitionIsNotOverwrittenByTheNextOne) {
  for (const std::string& text : {hard(0) + easy(1), easy(0) + hard(1)}) {
    CheckOptions options;
    options.engine = "wgl";
    options.memory_bytes = 8 << 20;
    options.timeout_seconds = 10;
    options.jobs = 1;
    const Result<CheckReport> report = plumb::check(parse_history(text, "map"), options);
    ASSERT_TRUE(report.ok());
    EXPECT_EQ(report->verdict, Verdict::undecided);
    EXPECT_FALSE(report->reason.empty());
    ASSERT_EQ(report->partitions.size(), 2u);
    EXPECT_TRUE(report->partitions[0].verdict == Verdict::undecided ||
                report->partitions[1].verdict == Verdict::undecided);
  }
}

TEST(Peers, AViolationElsewhereStandsThoughAPartitionIsUndecided) {
  CheckOptions options;
  options.engine = "wgl";
  options.memory_bytes = 8 << 20;
  options.keep_going = true;
  options.jobs = 2;
  const std::string text = hard(0) + "W put(1, 7): nil | W get(1): 8";
  const Result<CheckReport> report = plumb::check(parse_history(text, "map"), options);
  ASSERT_TRUE(report.ok());
  EXPECT_NE(report->verdict, Verdict::holds);
}

}  // namespace
}  // namespace plumb::test
