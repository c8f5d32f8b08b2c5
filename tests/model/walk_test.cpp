// SPDX-License-Identifier: MIT
// Statements as they were written, and runs as people read them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "refine/evidence/walk.hpp"
#include "report/model_report.hpp"
#include "report/text.hpp"

namespace plumb::refine {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Quotes, EndWhereTheStatementDoes) {
  const model::Quotes quotes(
      "a = x  x = (a + 1) % 3 // more\n"
      "for j = -1 downto -v { B[j] = 0 ; y = 1 }\n"
      "repeat { t = top\n next[n] = t } until t == 0 && CAS(top, t, n)\n"
      "return value[t]\n"
      "return\n"
      "x = 1\n"
      "atomic {\n  await !held\n  if v == 0 { return }\n  local w : 0..K-1 = min(v, 2)\n}\n"
      "break x = 1");
  EXPECT_EQ(quotes.at({1, 1}), "a = x");
  EXPECT_EQ(quotes.at({1, 8}), "x = (a + 1) % 3");
  EXPECT_EQ(quotes.at({2, 1}), "for j = -1 downto -v");
  EXPECT_EQ(quotes.at({2, 24}), "B[j] = 0");
  EXPECT_EQ(quotes.at({3, 10}), "t = top");
  EXPECT_EQ(quotes.at({4, 2}), "next[n] = t");
  EXPECT_EQ(quotes.at({4, 24}), "until t == 0 && CAS(top, t, n)");  // the place of an operator
  EXPECT_EQ(quotes.at({5, 1}), "return value[t]");
  EXPECT_EQ(quotes.at({6, 1}), "return");
  EXPECT_EQ(quotes.at({8, 1}),
            "atomic { await !held; if v == 0 { return } local w : 0..K - 1 = min(v, 2) }");
  EXPECT_EQ(quotes.at({13, 1}), "break");
  EXPECT_EQ(quotes.at({99, 1}), "");
}

TEST(Walk, TellsWhatEachStepDoes) {
  const std::string text =
      "object O { shared x : 0..3 = 0, b : bit[2] = 0\n"
      " op f(v : 1..2) { local a : 0..3 = x\n  b[1] = 1\n  x = a + v\n  return a == 0 }\n"
      " op g() { await x == 3 } }\n"
      "spec { op f(v) { return true }  op g() { } }\nclients { 1 x f(2) ; 1 x g() }";
  const model::Compiled compiled = model::compile(text);
  ASSERT_TRUE(compiled.program);
  Walk walk(*compiled.program, text);
  ASSERT_EQ(walk.possible().size(), 2u);
  for (const std::uint32_t process : {0, 1, 0, 0, 0, 0}) ASSERT_TRUE(walk.take({process, 0}).ok());
  EXPECT_FALSE(walk.take({1, 0}).ok());  // it waits
  ASSERT_EQ(walk.waiting().size(), 1u);
  EXPECT_EQ(walk.waiting()[0].what, "await x == 3");
  EXPECT_EQ(walk.name(1), "g()");
  std::vector<std::string> words;
  for (const TraceStep& step : walk.trace()) {
    words.push_back(step.what);
    for (const auto& c : step.changes) words.back() += "|" + c.to_string(">");
  }
  EXPECT_THAT(words, ElementsAre("call f(2)|v = 2", "call g()", "local a : 0..3 = x|a = 0",
                                 "b[1] = 1|b[1]: 0 > 1", "x = a + v|x: 0 > 2", "return true"));
  const Result<History> history = walk.history(true);
  ASSERT_TRUE(history.ok());
  EXPECT_EQ(history->size(), 2u);
  EXPECT_TRUE(history->stuck);
}

// What a search that was cut says of itself; how long one takes is no matter of a test.
TEST(CutSearch, SaysWhatMayHelp) {
  const model::Compiled compiled =
      model::compile("object O { op f() { } }\nspec { op f() { } }\nclients { 1 x f() }");
  ASSERT_TRUE(compiled.program);
  const auto text = [&](Budget::Stop stopped, const Question& question) {
    VerifyReport cut;
    cut.question = question;
    cut.reason = "time-out";
    cut.found.states = cut.found.waiting = 7;
    cut.found.stopped = stopped;
    report::ModelRequest request;
    request.file = "o.plumb";
    return text_report(report::model_report(*compiled.program, std::move(cut), request), {});
  };
  const std::string safety = text(Budget::Stop::time_limit, Criterion::linearizable);
  EXPECT_THAT(safety, HasSubstr("o.plumb: time-out; 7 states not explored (O, 1 process: "));
  EXPECT_THAT(safety, HasSubstr("\n  Nothing wrong was found in the states that were looked at."));
  EXPECT_THAT(text(Budget::Stop::time_limit, ProgressCondition::deadlock_free),
              HasSubstr("judged when all states are known."));
  // It is not known what it had found.
  EXPECT_THAT(text(Budget::Stop::none, ProgressCondition::deadlock_free),
              ::testing::Not(HasSubstr("known")));
}

}  // namespace
}  // namespace plumb::refine
