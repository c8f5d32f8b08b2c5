// SPDX-License-Identifier: MIT
// P. B. Gibbons, E. Korach: Testing shared memories (SIAM J. Comput. 26, 1997). Every value is
// written once: clusters and their zones; and our extension to chains of cas.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/history_text.hpp"

namespace plumb::test {
namespace {

using Ids = std::vector<OperationId>;

void expect_holds(const std::string& text) {
  const Case c(text, "register");
  EXPECT_EQ(verdict(c), Verdict::holds) << text;
  EXPECT_EQ(decide_verified("zones", c.problem).verdict, Verdict::holds) << text;
}

void expect_violation(const std::string& text, const Ids& core, const std::string& reason) {
  const Case c(text, "register");
  EXPECT_EQ(verdict(c), Verdict::violation) << text;
  const Answer answer = decide_verified("zones", c.problem);
  EXPECT_EQ(answer.verdict, Verdict::violation) << text;
  EXPECT_EQ(answer.core, core) << text;
  EXPECT_EQ(answer.reason, reason) << text;
}

void expect_declined(const std::string& text, const std::string& reason) {
  const Case c(text, "register");
  const Answer answer = decide_verified("zones", c.problem);
  EXPECT_EQ(answer.verdict, Verdict::undecided) << text;
  EXPECT_EQ(answer.reason, reason) << text;
}

TEST(GibbonsKorach, NoReadBeforeItsWrite) {
  expect_violation("A read: 1 | B write(1): nil", {0},
                   "the read of 1 returned before write(1) was called");
  expect_violation("A write(1): nil | B read: 7", {1},
                   "the read of 7 happened, but no operation wrote 7");
  expect_holds("A read | B write(1) | A: 1 | B: nil");
}

TEST(GibbonsKorach, TwoForwardZonesMustNotOverlap) {
  expect_violation(
      "A write(1): nil | B write(2): nil | A read: 1 | B read: 2", {0, 1, 2},
      "write(1) returned before write(2) was called, and write(2) before the read of 1");
  // Only together: zones [write(1), read 1] and [write(2), read 2] of overlapping writes.
  expect_violation("A write(1) | B write(2) | A: nil | B: nil | B read | A read: 1 | B: 2",
                   {0, 1, 2, 3},
                   "write(1) returned before the read of 2 was called, and write(2) before the "
                   "read of 1");
  expect_holds("A write(1): nil | A read: 1 | B write(2): nil | B read: 2");
}

TEST(GibbonsKorach, NoBackwardZoneInsideAForwardOne) {
  expect_violation("A write(1): nil | B write(2) | C read | B: nil | C: 2 | A read: 1", {0, 1, 3},
                   "write(1) returned before write(2) was called, and write(2) before the read of "
                   "1");
  expect_holds("A write(1): nil | B write(2) | A read: 1 | B: nil");
}

TEST(GibbonsKorach, TheInitialValueIsWrittenBeforeTimeBegan) {
  expect_violation(
      "A write(1): nil | B read: 0", {0, 1},
      "the read of 0 was called after write(1) had returned, but no operation writes 0 "
      "again");
  expect_holds("A write(1) | B read: 0 | A: nil");
}

TEST(GibbonsKorach, AWriteThatDidNotReturnCountsIfItWasRead) {
  expect_holds("A write(1) | B read: 0 | B read: 1");
  expect_violation(
      "A write(1) | B read: 1 | B read: 0", {1, 2},
      "the read of 0 was called after the read of 1 had returned, but no operation writes "
      "0 again");
  expect_holds("A write(1) | B read: 0 | B read: 0");
}

TEST(GibbonsKorach, ChainsOfCas) {
  expect_holds("A write(1) | B cas(1, 2) | C read: 2 | A: nil | B: true | C cas(2, 3): true");
  expect_violation("A cas(0, 1): true | B cas(0, 2): true", {0, 1},
                   "cas(0, 1) and cas(0, 2) cannot both succeed: 0 is there once");
  expect_violation("A cas(1, 2) | B cas(2, 1) | A: true | B: true", {1},
                   "cas(2, 1) happened, but 1 comes only from itself");
  expect_violation("A write(1): nil | B cas(1, 2): true | A read: 1", {1, 2},
                   "cas(1, 2) returned before the read of 1 was called, and 1 was gone");
  // Nothing comes between 1 and 2.
  expect_violation("A write(1): nil | B write(3): nil | C cas(1, 2): true", {0, 1, 2},
                   "write(1) returned before write(3) was called, and write(3) before cas(1, 2)");
  // A cas that did not return counts if what it made of the value was seen.
  expect_holds("A cas(0, 1) | B read: 0 | B read: 1");
  expect_holds("A cas(0, 1) | B cas(0, 2) | C read: 2");
  expect_violation("A cas(0, 1) | B cas(0, 2) | C read: 2 | D read: 1", {2, 3},
                   "cas(0, 2) and cas(0, 1) cannot both succeed: 0 is there once");
}

TEST(GibbonsKorach, WhatZonesAreNotFor) {
  expect_declined("A write(1): nil | A write(1): nil", "1 is written twice");
  expect_declined("A write(0): nil", "0 is written, and there from the start");
  expect_declined("A cas(1, 2): false", "a cas failed");
}

}  // namespace
}  // namespace plumb::test
