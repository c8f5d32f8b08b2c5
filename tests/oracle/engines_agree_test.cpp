// SPDX-License-Identifier: MIT
// All engines against the literal definition, on random histories of every named specification;
// and against each other on histories that are too long for the definition.
//
// A disagreement prints the history in the notation of support/history_text.hpp and its seed.
#include <gtest/gtest.h>

#include <iostream>

#include "oracle/oracle.hpp"

namespace plumb::test {
namespace {

struct Setting {
  std::string name;
  std::string engine;
  EngineOptions options;
};

const std::vector<Setting>& jit_settings() {
  static const std::vector<Setting> all = [] {
    std::vector<Setting> settings;
    for (unsigned bits = 0; bits < 16; ++bits) {
      EngineOptions o;
      o.breadth_first = bits & 1;
      o.depth_first = !o.breadth_first;
      o.pure_labels = bits & 2;
      o.deadline_first = bits & 4;
      o.domination = bits & 8;
      settings.push_back({std::string("jit ") + (bits & 1 ? "bfs" : "dfs") +
                              (bits & 2 ? " +pure" : "") + (bits & 4 ? " +deadline" : "") +
                              (bits & 8 ? " +domination" : ""),
                          "jit", o});
    }
    // Masks of two, of four and of many words: slots that straddle the words' borders.
    for (const std::size_t first_slot : {62u, 126u, 510u})
      for (const bool breadth_first : {false, true}) {
        EngineOptions o;
        o.breadth_first = breadth_first;
        o.depth_first = !breadth_first;
        o.first_slot = first_slot;
        settings.push_back({"jit with slots from " + std::to_string(first_slot), "jit", o});
      }
    return settings;
  }();
  return all;
}

Setting wgl(std::size_t lru_entries) {
  EngineOptions options;
  options.lru_entries = lru_entries;
  return {lru_entries ? "wgl lru" : "wgl", "wgl", options};
}
const Setting& automatic() {
  static const Setting setting{"auto", "auto", {}};
  return setting;
}

// Describes how the answers differ; empty: they do not.
std::string difference(const Problem& problem, const Answer& reference, const Setting& setting,
                       bool exact_event) {
  Budget budget;
  Answer answer = decide(setting.engine, problem, budget, setting.options);
  complete(answer);
  const auto what = [&](const std::string& text) { return setting.name + " " + text; };
  if (answer.verdict != reference.verdict)
    return what("says " + std::string(to_string(answer.verdict)));
  if (answer.verdict == Verdict::holds) {
    const std::string wrong = verify_witness(problem, answer);
    return wrong.empty() ? "" : what("has a wrong witness: " + wrong);
  }
  if (answer.unjustified != reference.unjustified)
    return what("blames operation " + std::to_string(answer.unjustified));
  const bool agrees = exact_event ? answer.failing_event == reference.failing_event
                                  : answer.failing_event == kNone ||
                                        answer.failing_event >= reference.failing_event;
  return agrees ? "" : what("fails at event " + std::to_string(answer.failing_event));
}

std::string describe(const History& history, const Answer& reference) {
  const auto& initial = history.objects[0].initial;
  return to_text(history) + (initial ? "   initially " + initial->to_string() : "") + "\n  where " +
         reference.engine + " says " + std::string(to_string(reference.verdict)) + ", event " +
         std::to_string(reference.failing_event) + ", operation " +
         std::to_string(reference.unjustified);
}

class EnginesAgree : public testing::TestWithParam<const Specification*> {};

TEST_P(EnginesAgree, WithTheDefinitionOnSmallHistories) {
  const Specification& specification = *GetParam();
  const RandomHistories source(specification);
  const std::uint64_t n = histories();
  const Setting plain = wgl(0), lru = wgl(4);
  std::uint64_t holds = 0, violations = 0;
  Draws draws(n);
  draws.until("that hold", holds, n / 10).until("violations", violations, n / 10);
  for (const std::uint64_t i : draws) {
    const History history = source.make(seed_of(specification, i));
    const Problem problem = make_problem(history, specification);
    Budget budget;
    const Answer reference = decide_brute(problem, budget);
    ASSERT_NE(reference.verdict, Verdict::undecided) << reference.reason;
    ++(reference.verdict == Verdict::holds ? holds : violations);
    std::string wrong;
    const auto compare = [&](const Setting& setting, bool exact_event) {
      if (wrong.empty()) wrong = difference(problem, reference, setting, exact_event);
    };
    if (reference.verdict == Verdict::holds) wrong = verify_witness(problem, reference);
    compare(plain, true);
    compare(lru, true);
    for (const Setting& setting : jit_settings()) compare(setting, true);
    compare(automatic(), false);
    ASSERT_EQ(wrong, "") << describe(history, reference) << "\n  seed " << seed_of(specification, i)
                         << " (PLUMB_SEED=" << seed() << ", number " << i << ")";
  }
  EXPECT_EQ(draws.lacks(), "");
  std::cout << specification.name() << ": " << draws.drawn() << " histories, " << holds
            << " hold\n";
}

TEST_P(EnginesAgree, WithEachOtherOnLargerHistories) {
  const Specification& specification = *GetParam();
  const RandomHistories source(specification);
  const RandomOptions larger{.fewest = 10, .most = 40, .most_processes = 4};
  const std::uint64_t n = histories() / 40;
  for (std::uint64_t i = 0; i < n; ++i) {
    const std::uint64_t s = ~seed_of(specification, i);
    const History history = source.make(s, larger);
    const Problem problem = make_problem(history, specification);
    Budget budget;
    const Answer reference = decide_wgl(problem, budget);
    ASSERT_NE(reference.verdict, Verdict::undecided) << reference.reason;
    std::string wrong;
    if (reference.verdict == Verdict::holds) wrong = verify_witness(problem, reference);
    for (const Setting& setting : jit_settings())
      if (wrong.empty()) wrong = difference(problem, reference, setting, true);
    if (wrong.empty()) wrong = difference(problem, reference, automatic(), false);
    ASSERT_EQ(wrong, "") << describe(history, reference) << "\n  seed " << s
                         << " (PLUMB_SEED=" << seed() << ", number " << i << ")";
  }
}

INSTANTIATE_TEST_SUITE_P(Every, EnginesAgree, testing::ValuesIn(all_specifications()),
                         [](const auto& info) { return test_name(*info.param); });

}  // namespace
}  // namespace plumb::test
