// SPDX-License-Identifier: MIT
// Regular, safe, and what engines say of recorded histories, of random registers: each against the
// checker of recorded histories on every history.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <random>

#include "every_history.hpp"
#include "how_many.hpp"
#include "plumb/check.hpp"
#include "refine/verify.hpp"
#include "support/file_contents.hpp"
#include "switches.hpp"

namespace plumb::refine {
namespace {

using ::testing::HasSubstr;

// A register of 0, 1, 2 that is made of others, hardly ever well.
std::string random_register(std::mt19937& random) {
  const auto pick = [&](std::size_t n) {
    return std::uniform_int_distribution<std::size_t>(0, n - 1)(random);
  };
  const char* kinds[] = {"", "", "regular ", "safe "};
  const char* writes[] = {
      "x = v",        "x = v", "y = v", "if v == 1 { y = 1 } else { x = v }", "if v != 0 { x = 0 }",
      "b = 1  x = v", "b = 0"};
  const char* reads[] = {"a = x",
                         "a = x",
                         "a = y",
                         "if a == 0 { a = y }",
                         "if a != 1 { a = x }",
                         "if b == 1 { a = x }"};
  const char* clients[] = {"1 x write(any) at most 2; 1 x read() at most 2",
                           "1 x write(1) | write(2) at most 2; 2 x read() at most 1",
                           "1 x write(any) at most 1; 2 x read() at most 1",
                           "1 x { write(1) ; write(2) } at most 2; 1 x read() at most 3"};
  std::string write, read;
  for (std::size_t i = 0, n = 1 + pick(2); i < n; ++i)
    write += fmt::format("    {}\n", writes[pick(std::size(writes))]);
  for (std::size_t i = 0, n = 1 + pick(2); i < n; ++i)
    read += fmt::format("    {}\n", reads[pick(std::size(reads))]);
  return fmt::format(
      "object O {{\n  shared x : {}0..2 = 0, y : {}0..2 = 0, b : bit = 0\n"
      "  op write(v : 0..2) {{\n{}  }}\n"
      "  op read() {{\n    local a : 0..2 = 0\n{}    return a\n  }}\n}}\n"
      "spec {{\n  state s : 0..2 = 0\n  op write(v) {{ s = v }}\n  op read() {{ return s }}\n}}\n"
      "clients {{ {} }}\n",
      kinds[pick(4)], kinds[pick(4)], write, read, clients[pick(4)]);
}

constexpr HistoryProperty kWeakestFirst[] = {HistoryProperty::safe, HistoryProperty::regular,
                                             HistoryProperty::linearizable};

/// Which of kWeakestFirst all histories have.
std::array<bool, 3> properties_of_every_history(const model::Program& program) {
  CheckOptions options;
  options.specification = find_specification("register");
  options.initial = Value::integer(0);
  options.minimise = false;
  options.jobs = 1;
  std::array<bool, 3> all = {true, true, true};
  EveryHistory(program, [&](const History& history) {
    for (std::size_t p = 0; p < all.size(); ++p) {
      if (!all[p]) continue;
      options.property = kWeakestFirst[p];
      const Result<CheckReport> report = check(history, options);
      EXPECT_TRUE(report.ok()) << report.error().to_string();
      EXPECT_NE(report->verdict, Verdict::undecided) << report->reason;
      all[p] = report->verdict == Verdict::holds;
    }
    return all[0] || all[1] || all[2];
  });
  return all;
}

Verdict decided(const model::Program& program, const std::string& text, VerifyOptions options) {
  const auto report = verify(program, text, options);
  EXPECT_TRUE(report.ok()) << report.error().to_string() << "\n" << text;
  return report.ok() ? report->found.verdict : Verdict::undecided;
}

TEST(RegisterMonitor, RandomRegistersAreJudgedLikeAllTheirHistories) {
  const std::uint64_t count = how_many(200);
  std::uint64_t strengths[4] = {};
  Draws draws(count);
  const char* names[] = {"not even safe", "safe", "regular", "linearizable"};
  for (int each = 0; each < 4; ++each) draws.until(names[each], strengths[each], count / 50 + 1);
  for (const std::uint64_t i : draws) {
    std::mt19937 random = source_of(i);
    const std::string text = random_register(random);
    const model::Compiled compiled = model::compile(text);
    ASSERT_TRUE(compiled.program) << to_string(compiled.diagnostic, "random", text);
    int strength = 0;
    const std::array<bool, 3> every = properties_of_every_history(*compiled.program);
    for (std::size_t p = 0; p < every.size(); ++p) {
      const HistoryProperty property = kWeakestFirst[p];
      const bool all = every[p];
      strength += all;
      for (const int mask : few_combinations())
        ASSERT_EQ(decided(*compiled.program, text,
                          {.question = question_named(to_string(property)),
                           .reductions = switched(mask)}),
                  all ? Verdict::holds : Verdict::violation)
            << "seed " << seed_of(i) << ", " << to_string(property) << ", reductions " << mask
            << "\n"
            << text;
    }
    ++strengths[strength];
    // The same on recorded histories, which are all the histories again.
    const Verdict atomic = strength == 3 ? Verdict::holds : Verdict::violation;
    for (const Criterion engine : {Criterion::soar, Criterion::soar_literal, Criterion::clmt})
      ASSERT_EQ(decided(*compiled.program, text, {.question = engine}), atomic)
          << "seed " << seed_of(i) << ", " << question_name(engine) << "\n"
          << text;
    ASSERT_EQ(decided(*compiled.program, text, {.question = Criterion::dummy}), Verdict::holds);
  }
  EXPECT_EQ(draws.lacks(), "");
}

std::string model_text(const std::string& name) {
  return file_contents(PLUMB_SOURCE_DIR "/models/" + name);
}

TEST(RegisterMonitor, AskedOfSomethingElseSaysWhyNot) {
  const std::pair<std::string, std::string> wrong[] = {
      {model_text("counter.plumb"), "push() is neither read() with a result nor write(v)"},
      {"object O { shared x : bit op write(v : bit) { x = v } op read() { return x } }\n"
       "spec { state s : bit op write(v) { s = v } op read() { return s } }\n"
       "clients { 2 x any }",
       "it has 2 writers"},
      {"object O { shared x : bit op write(v : bit) { x = v } op read() { return x } }\n"
       "spec { state s : bit op write(v) { s = 1 - v } op read() { return s } }\n"
       "clients { 1 x write(any) ; 1 x read() }",
       "its specification is not a register"},
      {"object O { shared x : bit op write(v : bit) { x = v } }\n"
       "spec { state s : bit op write(v) { s = v } }\nclients { 1 x write(any) }",
       "it has no read()"}};
  for (const auto& [text, why] : wrong) {
    const model::Compiled compiled = model::compile(text);
    ASSERT_TRUE(compiled.program) << to_string(compiled.diagnostic, "test", text);
    const auto report = verify(*compiled.program, text, {.question = Criterion::regular});
    ASSERT_FALSE(report.ok());
    EXPECT_EQ(report.error().kind, ErrorKind::usage);
    EXPECT_THAT(report.error().message, HasSubstr(why));
  }
}

TEST(HistoryMonitor, NeedsClientsThatComeToAnEnd) {
  const std::string text = model_text("register_tromp.plumb");
  const model::Compiled compiled = model::compile(text);
  ASSERT_TRUE(compiled.program);
  const auto report = verify(*compiled.program, text, {.question = Criterion::soar});
  ASSERT_FALSE(report.ok());
  EXPECT_THAT(report.error().message, HasSubstr("call forever"));
}

// One implementation: what the model asserts is what the engine of that name does.
TEST(HistoryMonitor, IsAskedByTheModelAsByItsName) {
  std::uint64_t violations = 0;
  Draws draws(12);
  draws.until("violations", violations, 3);
  for (const std::uint64_t i : draws) {
    std::mt19937 random = source_of(i);
    const std::string text = random_register(random);
    const model::Compiled plain = model::compile(text);
    ASSERT_TRUE(plain.program);
    EXPECT_TRUE(question_of(*plain.program) == Question(Criterion::linearizable));
    for (const Criterion engine : {Criterion::soar, Criterion::clmt, Criterion::dummy}) {
      std::string own = text;
      own.insert(text.find("  op write"),
                 fmt::format("  assert {}(history)  ", question_name(engine)));
      const model::Compiled asserted = model::compile(own);
      ASSERT_TRUE(asserted.program) << to_string(asserted.diagnostic, "random", own);
      EXPECT_TRUE(question_of(*asserted.program) == Question(engine));
      const auto by_name = verify(*plain.program, text, {.question = engine});
      const auto by_model = verify(*asserted.program, own, {});
      ASSERT_TRUE(by_name.ok() && by_model.ok()) << own;
      EXPECT_EQ(by_model->found.verdict, by_name->found.verdict) << own;
      EXPECT_EQ(by_model->found.states, by_name->found.states) << own;
      EXPECT_EQ(by_model->found.transitions, by_name->found.transitions) << own;
      EXPECT_EQ(by_model->trace.size(), by_name->trace.size()) << own;
      violations += by_model->found.verdict == Verdict::violation;
    }
  }
  EXPECT_EQ(draws.lacks(), "");
}

TEST(HistoryMonitor, KeepsAStateForEachHistoryThatLeadsThere) {
  const std::string text = model_text("register_tromp_few.plumb");
  for (const auto& [writes, reads] : {std::pair{1, 2}, std::pair{2, 1}, std::pair{2, 2}}) {
    const model::Compiled compiled = model::compile(text, {{"WRITES", writes}, {"READS", reads}});
    ASSERT_TRUE(compiled.program);
    const EveryHistory all(*compiled.program, [](const History&) { return true; });
    const auto report = verify(*compiled.program, text, {.question = Criterion::dummy});
    ASSERT_TRUE(report.ok());
    EXPECT_EQ(report->found.states, all.states());
  }
}

}  // namespace
}  // namespace plumb::refine
