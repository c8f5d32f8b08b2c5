// SPDX-License-Identifier: MIT
// Linearization points: right ones prove, wrong ones are told and change no verdict.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "how_many.hpp"
#include "random_models.hpp"
#include "refine/verify.hpp"
#include "switches.hpp"

namespace plumb::refine {
namespace {

using ::testing::HasSubstr;

// A flag whose test and whose setting are two steps.
std::string flag(const std::string& body) {
  return "object O {\n  shared x : bit = 0\n  op f() {\n" + body +
         "\n  }\n}\nspec {\n  state x : bit = 0\n"
         "  op f() { local a = x  x = 1  return a }\n}\nclients { 2 x any at most 1 }\n";
}

VerifyReport by_points(const std::string& text, const Reductions& reductions = {}) {
  const model::Compiled compiled = model::compile(text);
  EXPECT_TRUE(compiled.program) << to_string(compiled.diagnostic, "test", text);
  static std::vector<std::unique_ptr<model::Program>> kept;  // reports speak of them
  kept.push_back(std::make_unique<model::Program>(*compiled.program));
  auto report =
      verify(*kept.back(), text, {.question = Criterion::points, .reductions = reductions});
  EXPECT_TRUE(report.ok()) << report.error().to_string();
  return std::move(*report);
}

TEST(Points, AMarkBelongsToTheStepBeforeIt) {
  const VerifyReport report = by_points(flag("local a : bit = SWAP(x, 1)\nlinearize\nreturn a"));
  EXPECT_EQ(report.found.verdict, Verdict::holds);
  EXPECT_FALSE(report.marks);
}

TEST(Points, AMarkCanDependOnWhatTheStepSaw) {
  const VerifyReport report =
      by_points(flag("local a : bit = x\nlinearize if a == 1\nif a == 1 { return 1 }\n"
                     "a = SWAP(x, 1)\nlinearize\nreturn a"));
  EXPECT_EQ(report.found.verdict, Verdict::holds);
  EXPECT_FALSE(report.marks);
}

TEST(Points, WithoutAMarkAReturnIsNotExplained) {
  const VerifyReport report =
      by_points(flag("local a : bit = SWAP(x, 1)\nlinearize if a == 0\nreturn a"));
  EXPECT_EQ(report.found.verdict, Verdict::holds);
  ASSERT_TRUE(report.marks);
  EXPECT_THAT(report.marks->why, HasSubstr("returns without passing a mark"));
}

TEST(Points, ASecondMarkIsOneTooMany) {
  const VerifyReport report =
      by_points(flag("linearize\nlocal a : bit = SWAP(x, 1)\nlinearize\nreturn a"));
  EXPECT_EQ(report.found.verdict, Verdict::holds);
  ASSERT_TRUE(report.marks);
  EXPECT_THAT(report.marks->why, HasSubstr("passes a second mark"));
}

TEST(Points, AMarkAtTheWrongStepGivesAnotherResult) {
  const VerifyReport report =
      by_points(flag("local b : bit = x\nlinearize\nlocal a : bit = SWAP(x, 1)\nreturn a"));
  EXPECT_EQ(report.found.verdict, Verdict::holds);
  ASSERT_TRUE(report.marks);
  EXPECT_THAT(report.marks->why, HasSubstr("but at its mark in line 4 the specification gave it"));
  EXPECT_EQ(report.marks->trace.back().kind, model::StepKind::give_back);
}

TEST(Points, AMarkBeforeTheFirstStepIsAtTheCallWhateverIsReduced) {
  for (const int mask : few_combinations()) {
    const VerifyReport report =
        by_points(flag("linearize\nlocal a : bit = SWAP(x, 1)\nreturn a"), switched(mask));
    EXPECT_EQ(report.found.verdict, Verdict::holds) << mask;
    ASSERT_TRUE(report.marks) << mask;
    EXPECT_THAT(report.marks->why, HasSubstr("at its mark, with the call,")) << mask;
  }
}

TEST(Points, WhereTheObjectIsWrongSoAreTheMarks) {
  const VerifyReport report = by_points(flag("local a : bit = x\nx = 1\nlinearize\nreturn a"));
  EXPECT_EQ(report.found.verdict, Verdict::violation);
  EXPECT_TRUE(report.marks);
  EXPECT_TRUE(report.counterexample);
}

TEST(Points, AMarkWhereTheSpecificationBlocksIsTold) {
  const std::string text =
      "object O {\n shared x : bit = 0\n op take() { linearize  await x == 1  x = 0 }\n"
      " op give() { x = 1  linearize }\n}\n"
      "spec {\n state x : bit = 0\n op take() { await x == 1  x = 0 }\n op give() { x = 1 }\n}\n"
      "clients { 1 x take() at most 1; 1 x give() at most 1 }\n";
  const VerifyReport report = by_points(text);
  EXPECT_EQ(report.found.verdict, Verdict::holds);
  ASSERT_TRUE(report.marks);
  EXPECT_THAT(report.marks->why, HasSubstr("where the specification blocks it"));
}

// The object's lines of a random model, with a mark behind one line of each operation, sometimes
// a conditional one, sometimes two.
std::string with_random_marks(const std::string& text, std::mt19937& random) {
  const auto pick = [&](int n) { return std::uniform_int_distribution<int>(0, n - 1)(random); };
  const std::size_t end = text.find("\nspec {");
  std::string out;
  std::vector<std::string> body;
  std::size_t at = 0;
  while (at < end) {
    const std::size_t next = text.find('\n', at) + 1;
    const std::string line = text.substr(at, next - at);
    at = next;
    const bool inside = line.starts_with("    ") && !line.starts_with("    return");
    if (inside) {
      body.push_back(line);
      continue;
    }
    for (int marks = body.empty() ? 0 : pick(8) == 0 ? 2 : 1; marks > 0; --marks)
      body.insert(body.begin() + 2 + pick(static_cast<int>(body.size()) - 1),
                  pick(6) == 0 ? "    linearize if a != 1\n" : "    linearize\n");
    for (const std::string& kept : body) out += kept;
    body.clear();
    out += line;
  }
  return out + text.substr(end);
}

TEST(Points, RandomMarksThatExplainEveryRunProveRandomModels) {
  const std::uint64_t count = how_many(300);
  std::uint64_t right = 0, wrong_though_it_holds = 0;
  Draws draws(count);
  draws.until("right", right, count / 20 + 1);
  draws.until("wrong though it holds", wrong_though_it_holds, count / 20 + 1);
  for (const std::uint64_t i : draws) {
    std::mt19937 random = source_of(i);
    const std::string plain = random_model(random);
    const std::string text = with_random_marks(plain, random);
    const model::Compiled compiled = model::compile(text);
    ASSERT_TRUE(compiled.program) << to_string(compiled.diagnostic, "random", text);
    const auto without = verify(*compiled.program, text, {});
    ASSERT_TRUE(without.ok());
    std::optional<bool> explained;
    for (const int mask : few_combinations()) {
      const auto report = verify(*compiled.program, text,
                                 {.question = Criterion::points, .reductions = switched(mask)});
      ASSERT_TRUE(report.ok()) << report.error().to_string() << "\n" << text;
      ASSERT_EQ(report->found.verdict, without->found.verdict)
          << "seed " << seed_of(i) << ", reductions " << mask << "\n"
          << text;
      if (!explained) explained = !report->marks;
      ASSERT_EQ(*explained, !report->marks)
          << "seed " << seed_of(i) << ", reductions " << mask << "\n"
          << text;
    }
    right += *explained && without->found.verdict == Verdict::holds;
    wrong_though_it_holds += !*explained && without->found.verdict == Verdict::holds;
  }
  EXPECT_EQ(draws.lacks(), "");
}

}  // namespace
}  // namespace plumb::refine
