// SPDX-License-Identifier: MIT
// R. Guerraoui, M. Vukolic: A scalable and oblivious atomicity assertion (LPD-REPORT-2008-011).
// Figures 2 and 3, Definition 1, sections 3.1, 3.2 and 4.
#include <gtest/gtest.h>

#include <bit>
#include <string>
#include <vector>

#include "support/history_text.hpp"

namespace plumb::test {
namespace {

const std::vector<std::string> kEngines = {"soar", "soar-literal", "clmt", "clmt-literal"};

Case execution(const std::string& text) { return Case(text, "register", Value::integer(0)); }

// Operations 0 to 5: w1, r21, r11, r12, w2, r13.
const char kFigure2[] =
    "W write(1) | R2 read | R1 read | R1: 1 | R1 read | W: nil | R2: 0 | W write(2) | R1: 2 |"
    "R1 read | R1: 1 | W: nil";
const char kFigure2WithoutR21[] =
    "W write(1) | R1 read | R1: 1 | R1 read | W: nil | W write(2) | R1: 2 | R1 read | R1: 1 |"
    "W: nil";

TEST(Soar, Figure2IsNotAtomic) {
  const Case c = execution(kFigure2);
  EXPECT_EQ(verdict(c), Verdict::violation);
  const Answer answer = decide_verified("soar", c.problem);
  EXPECT_EQ(answer.verdict, Verdict::violation);
  EXPECT_EQ(answer.failing_event, c.problem.ops[5].ret) << "r13";
  EXPECT_EQ(answer.core, (std::vector<OperationId>{0, 3, 5})) << "w1, r12 = 2, r13 = 1";
  EXPECT_EQ(answer.reason,
            "the read returned 1 although an earlier read had returned 2, which was written later");
  EXPECT_EQ(decide_verified("soar-literal", c.problem).verdict, Verdict::violation);
}

TEST(Soar, Figure2WithoutR21IsNotAtomicEither) {
  const Case c = execution(kFigure2WithoutR21);
  EXPECT_EQ(verdict(c), Verdict::violation);
  for (const char* engine : {"soar", "soar-literal", "clmt"})
    EXPECT_EQ(decide_verified(engine, c.problem).verdict, Verdict::violation) << engine;
  // Five operations, of which two are writes: 18 open pairs.
  EXPECT_EQ(decide_verified("clmt", c.problem).stats.steps, 1u << 18);
}

// "the operations would be linearized in the following order: w0, r21, w1, r11, w2, r12, leaving
// r13"; both forwards and backwards.
TEST(Soar, Section31GreedyLinearization) {
  const Case c = execution(
      "W write(1) | R2 read | R1 read | R1: 1 | R1 read | W: nil | R2: 0 | W write(2) | R1: 2 |"
      "W: nil");
  EXPECT_EQ(verdict(c), Verdict::holds);
  const std::vector<OperationId> expected = {1, 0, 2, 4, 3};
  for (const char* engine : {"soar", "soar-literal"})
    EXPECT_EQ(decide_verified(engine, c.problem).witnesses.at(0), expected) << engine;
}

TEST(Soar, Section32OneWriteMeansTheInitialValue) {
  EXPECT_EQ(verdict(execution("A read | B read | A: 0 | B: 0")), Verdict::holds);
  EXPECT_EQ(verdict(execution("A read | B read | A: 0 | B: 1")), Verdict::violation);
}

// Lines a12, a13 and a2 of Figure 3, one each.
TEST(Soar, Figure3EachConjunctIsNeeded) {
  EXPECT_EQ(verdict(execution("R read: 1 | W write(1): nil")), Verdict::violation);
  EXPECT_EQ(verdict(execution("W write(1) | R read: 1 | R read: 0 | W: nil")), Verdict::violation);
  EXPECT_EQ(verdict(execution("W write(1): nil | R read: 0")), Verdict::violation);
  // A value that comes back: the first read belongs to w1, the second to w3.
  EXPECT_EQ(verdict(execution("W write(1) | A read: 1 | W: nil | W write(2): nil | W write(1) |"
                              "A read: 2 | A read: 1 | W: nil")),
            Verdict::holds);
}

// Figure 4, line 041: while a write is pending, Resp is infinite.
TEST(Soar, Figure4APendingWriteMayHaveHappened) {
  EXPECT_EQ(verdict(execution("W write(1) | A read: 0 | A read: 1")), Verdict::holds);
  EXPECT_EQ(verdict(execution("W write(1) | A read: 0 | B read: 0")), Verdict::holds);
  EXPECT_EQ(verdict(execution("W write(1) | A read: 1 | B read: 0")), Verdict::violation);
}

// Figure 4, lines 067 and 011: a read is in rds with Resp = 0 before it has returned. Taken by the
// letter, the read of B would be one that precedes everything and returned 0.
TEST(Soar, ErratumAReadThatIsOpenDoesNotCount) {
  const Case c = execution("W write(1): nil | B read | W write(1): nil | A read: 1");
  EXPECT_EQ(verdict(c), Verdict::holds);
  for (const std::string& engine : kEngines)
    EXPECT_NE(decide_verified(engine, c.problem).verdict, Verdict::violation) << engine;
}

// What SOAR is not for.
TEST(Soar, TwoWritersAreDeclined) {
  const Case c = execution("A write(1) | B write(2) | A: nil | B: nil | C read: 1");
  for (const char* engine : {"soar", "soar-literal", "clmt"}) {
    const Answer answer = decide_verified(engine, c.problem);
    EXPECT_EQ(answer.verdict, Verdict::undecided) << engine;
    EXPECT_EQ(answer.reason, "two writes overlap") << engine;
  }
  EXPECT_EQ(decide_verified("clmt-literal", c.problem).verdict, Verdict::holds);
  // Two processes that never write at the same time are one writer.
  const Case turns = execution("A write(1): nil | B write(2) | C read: 1 | B: nil | C read: 2");
  for (const char* engine : {"soar", "soar-literal", "clmt"})
    EXPECT_EQ(decide_verified(engine, turns.problem).verdict, Verdict::holds) << engine;
}

// Section 4: "every possible execution of a single-writer single-reader register with at most 2
// write and 3 read operations" of a bit (here: with exactly so many), and Lemmas 1 and 2 on them.
// The PO property is tried where it is cheap.
TEST(Soar, Section4EveryExecutionOfTwoWritesAndThreeReads) {
  constexpr int kWriterEvents = 4, kReaderEvents = 6;
  int executions = 0, atomic = 0;
  for (unsigned turns = 0; turns < 1u << (kWriterEvents + kReaderEvents); ++turns) {
    if (std::popcount(turns) != kWriterEvents) continue;
    for (unsigned values = 0; values < 32; ++values) {
      std::string text;
      for (int i = 0, writer = 0, reader = 0; i < kWriterEvents + kReaderEvents; ++i) {
        if (i > 0) text += " | ";
        if (turns >> i & 1) {
          text += writer % 2 ? "W: nil" : values >> writer / 2 & 1 ? "W write(1)" : "W write(0)";
          ++writer;
        } else {
          text += reader % 2 == 0 ? "R read" : values >> (2 + reader / 2) & 1 ? "R: 1" : "R: 0";
          ++reader;
        }
      }
      const Case c = execution(text);
      const Verdict expected = decide_verified("brute", c.problem).verdict;
      for (const char* engine : {"soar", "soar-literal"})
        ASSERT_EQ(decide_verified(engine, c.problem).verdict, expected) << engine << ": " << text;
      if (++executions % 64 == 0) {
        ASSERT_EQ(decide_verified("clmt", c.problem).verdict, expected) << text;
      }
      atomic += expected == Verdict::holds;
    }
  }
  EXPECT_EQ(executions, 210 * 32);
  EXPECT_GT(atomic, 1000);
  EXPECT_LT(atomic, executions - 1000);
}

}  // namespace
}  // namespace plumb::test
