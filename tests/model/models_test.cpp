// SPDX-License-Identifier: MIT
// Every file in models/ keeps the promises of its //! lines, under every combination of reductions.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "model_files.hpp"
#include "refine/verify.hpp"
#include "support/file_contents.hpp"
#include "switches.hpp"

namespace plumb::refine {
namespace {

struct Promise {
  std::string file, command, expected, line;
  model::Settings settings;
  bool cut_is_bound = false;

  /// `verify` asks what the model asserts.
  Question question(const model::Program& program) const {
    return command == "verify"    ? question_of(program)
           : command == "explore" ? Question(ExploreOnly{})
                                  : question_named(command).value_or(Criterion::linearizable);
  }
  /// For a search that knows no other questions.
  Criterion criterion(const model::Program& program) const {
    const Question asked = question(program);
    const auto* criterion = std::get_if<Criterion>(&asked);
    return criterion ? *criterion : Criterion::linearizable;
  }
};
void PrintTo(const Promise& promise, std::ostream* out) {
  *out << promise.file << ": " << promise.line;
}

// "//! verify --set N=4: holds"
std::vector<Promise> promises() {
  std::vector<Promise> all;
  for (const auto& entry : std::filesystem::directory_iterator(PLUMB_SOURCE_DIR "/models")) {
    if (entry.path().extension() != ".plumb") continue;
    std::istringstream text(file_contents(entry.path()));
    for (std::string line; std::getline(text, line);) {
      if (!line.starts_with("//! ")) continue;
      Promise p;
      p.file = entry.path();
      p.line = line;
      const std::size_t colon = line.find(": ");
      p.expected = line.substr(colon + 2);
      std::istringstream words(line.substr(4, colon - 4));
      words >> p.command;
      for (std::string word; words >> word;) {
        if (word == "--cut-is-bound") p.cut_is_bound = true;
        if (word.starts_with("--")) continue;
        const std::size_t equals = word.find('=');
        p.settings.emplace_back(word.substr(0, equals), std::stoll(word.substr(equals + 1)));
      }
      all.push_back(std::move(p));
#ifdef PLUMB_SANITIZED
      break;  // other sizes of a model are nothing new to it
#endif
    }
  }
  std::sort(all.begin(), all.end(), [](const Promise& a, const Promise& b) {
    return std::tie(a.file, a.line) < std::tie(b.file, b.line);
  });
  return all;
}

class Models : public ::testing::TestWithParam<Promise> {};
TEST_P(Models, KeepTheirPromises) {
  const std::string text = file_contents(GetParam().file);
  const model::Compiled compiled = compile_file(GetParam().file, GetParam().settings);
  ASSERT_TRUE(compiled.program) << to_string(compiled.diagnostic, GetParam().file, text);
  ASSERT_EQ(compiled.unknown_setting, "");
  if (GetParam().command == "explore") {
    const auto report = verify(*compiled.program, text, {.question = ExploreOnly{}});
    ASSERT_TRUE(report.ok());
    EXPECT_EQ(std::to_string(report->found.states), GetParam().expected);
    return;
  }
  // Wrong marks are noticed, and do not change a verdict.
  if (GetParam().command == "points") {
    const auto plain = verify(*compiled.program, text, {.question = Criterion::linearizable});
    ASSERT_TRUE(plain.ok()) << plain.error().to_string();
    for (const int mask : few_combinations()) {
      const auto report = verify(
          *compiled.program, text,
          {.question = Criterion::points, .reductions = switched(mask), .timeout_seconds = 600});
      ASSERT_TRUE(report.ok()) << report.error().to_string();
      EXPECT_EQ(report->marks ? "wrong" : "right", GetParam().expected) << mask;
      EXPECT_EQ(report->found.verdict, plain->found.verdict) << mask;
      if (!report->marks) { EXPECT_EQ(report->found.largest_set, 1u) << mask; }
    }
    return;
  }
  ASSERT_TRUE(GetParam().command == "verify" || GetParam().command == "product" ||
              question_named(GetParam().command));
  for (const int mask : few_combinations()) {
    VerifyOptions options;
    options.cut_is_bound = GetParam().cut_is_bound;
    options.question = GetParam().question(*compiled.program);
    options.reductions = switched(mask);
    options.timeout_seconds =
        mask == 0 ? 600 : 0.05;  // without reductions some are too large for a test
    const auto report = verify(*compiled.program, text, options);
    ASSERT_TRUE(report.ok()) << report.error().to_string();
    if (mask == 0 || report->found.verdict != Verdict::undecided) {
      EXPECT_EQ(to_string(report->found.verdict), GetParam().expected) << mask;
    }
    const bool is_shown = report->found.verdict == Verdict::violation ||
                          report->found.stopped == StopReason::not_confirmed;
    EXPECT_EQ(report->trace.empty(), !is_shown);
  }
}

// Threads share the work, and nothing else: with few of them or many, what is found is the same.
TEST_P(Models, AreDecidedAlikeByAnyNumberOfThreads) {
  const std::string text = file_contents(GetParam().file);
  const model::Compiled compiled = compile_file(GetParam().file, GetParam().settings);
  ASSERT_TRUE(compiled.program);
  for (const int mask : {0, 16, 63}) {
    std::optional<Found> first;
    for (const unsigned jobs : {1u, 2u, 5u}) {
      Budget budget(jobs == 1 ? 0.25 : 600, 0, nullptr);
      const SearchOptions options{.reductions = switched(mask),
                                  .criterion = GetParam().criterion(*compiled.program),
                                  .jobs = jobs};
      Found found = GetParam().command == "explore" ? explore(*compiled.program, options, budget)
                                                    : refine(*compiled.program, options, budget);
      if (jobs == 1) {
        first = std::move(found);
        if (budget.stopped() != Budget::Stop::none) break;  // too large for a test
        continue;
      }
      EXPECT_EQ(found.verdict, first->verdict);
      EXPECT_EQ(found.kind, first->kind);
      EXPECT_EQ(found.states, first->states);
      EXPECT_EQ(found.transitions, first->transitions);
      EXPECT_EQ(found.depth, first->depth);
      EXPECT_EQ(found.cuts, first->cuts);
      EXPECT_EQ(found.sets, first->sets);
      ASSERT_EQ(found.trace.size(), first->trace.size());
      for (std::size_t i = 0; i < found.trace.size(); ++i) {
        EXPECT_EQ(found.trace[i].process, first->trace[i].process);
        EXPECT_EQ(found.trace[i].ordinal, first->trace[i].ordinal);
      }
    }
  }
}

// Where nothing is mixed up, and in a test so small nothing is, hash compaction changes nothing.
TEST_P(Models, AreDecidedAlikeWithHashCompaction) {
  const std::string text = file_contents(GetParam().file);
  const model::Compiled compiled = compile_file(GetParam().file, GetParam().settings);
  ASSERT_TRUE(compiled.program);
  VerifyOptions options{.question = GetParam().question(*compiled.program)};
  const auto exact = verify(*compiled.program, text, options);
  options.compact = true;
  const auto compact = verify(*compiled.program, text, options);
  ASSERT_TRUE(exact.ok() && compact.ok());
  EXPECT_EQ(compact->found.verdict, exact->found.verdict);
  EXPECT_EQ(compact->found.states, exact->found.states);
  EXPECT_EQ(compact->found.transitions, exact->found.transitions);
  EXPECT_EQ(compact->trace.size(), exact->trace.size());
  ASSERT_FALSE(compact->notes.empty());
  EXPECT_THAT(compact->notes.back(), ::testing::HasSubstr("hash compaction"));
}

INSTANTIATE_TEST_SUITE_P(Files, Models, ::testing::ValuesIn(promises()));

// The counts of other tools on the same models, with all renamings of processes merged.
TEST(Symmetry, ExploresOneStateOfEachClass) {
  const std::string text = file_contents(PLUMB_SOURCE_DIR "/models/counter.plumb");
  const std::pair<std::int64_t, std::uint64_t> expected[] = {{3, 4739}, {4, 29295}, {5, 144585}};
  for (const auto& [n, states] : expected) {
    const model::Compiled compiled = model::compile(text, {{"N", n}});
    Budget budget;
    EXPECT_EQ(explore(*compiled.program, {}, budget).states, states);
  }
}

}  // namespace
}  // namespace plumb::refine
