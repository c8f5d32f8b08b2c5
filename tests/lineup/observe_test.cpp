// SPDX-License-Identifier: MIT
// With which calls tests end, so that what is lost is seen; and which tests there are.
#include "lineup/observe.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "lineup/campaign.hpp"
#include "lineup/campaign_tests.hpp"
#include "lineup/matrices.hpp"
#include "lineup/simulated.hpp"

namespace plumb::lineup {
namespace {

std::string text(int n) { return std::to_string(n); }

// A stack of two cells. `push` loses a value if another one comes between its two steps.
SimulatedMethod push(int value, bool is_atomic) {
  const std::string name = "push(" + text(value) + ")";
  if (is_atomic)
    return {"push", name, {[value](Shared& s, Local&) {
              s[static_cast<std::size_t>(++s[0])] = value;
              return returns();
            }}};
  return {"push",
          name,
          {[](Shared& s, Local& l) { return l.x = s[0] + 1, next(); },
           [value](Shared& s, Local& l) {
             s[0] = l.x;
             s[static_cast<std::size_t>(l.x)] = value;
             return returns();
           }}};
}
SimulatedMethod pop(bool blocks_when_empty) {
  return {"pop", "pop()", {[blocks_when_empty](Shared& s, Local&) {
            if (s[0] == 0) return blocks_when_empty ? blocks() : returns("null");
            return returns(text(s[static_cast<std::size_t>(s[0]--)]));
          }}};
}
SimulatedMethod size() {
  return {"size", "size()", {[](Shared& s, Local&) { return returns(text(s[0])); }}};
}

Simulated stack(bool is_atomic, std::vector<SimulatedMethod> more) {
  std::vector<SimulatedMethod> methods{push(1, is_atomic), push(2, is_atomic)};
  methods.insert(methods.end(), more.begin(), more.end());
  return Simulated("Stack", Shared(20, 0), std::move(methods));
}

Column all_calls(const Simulated& runner) {
  Column calls;
  for (std::size_t i = 0; i < runner.object().invocations.size(); ++i)
    calls.push_back(static_cast<int>(i));
  return calls;
}

std::string end_of(Simulated& runner, const std::string& test) {
  Matrix whole = runner.test(test);
  const Observers found = Observers::find(runner, runner.object(), all_calls(runner));
  whole.final = found.after(whole);
  return to_text(whole, runner.object());
}

TEST(Observers, WhatOnlyLooksIsCalledOnceAndARemovalOncePerInsertion) {
  Simulated runner = stack(true, {pop(false), size()});
  EXPECT_EQ(end_of(runner, "pre push(1); push(2) | pop"),
            "pre push(1); push(2) | pop(); post size(), pop(), pop()");
}

TEST(Observers, ARemovalThatWaitsIsCalledForWhatIsLeft) {
  Simulated runner = stack(true, {pop(true)});
  EXPECT_EQ(end_of(runner, "pre push(1); push(2) | pop"),
            "pre push(1); push(2) | pop(); post pop()");
  EXPECT_EQ(end_of(runner, "push(2) | pop"), "push(2) | pop()");
}

TEST(Observers, WithSeveralKeysEachIsAskedFor) {
  std::vector<SimulatedMethod> methods;
  for (const std::size_t key : {1, 2}) {
    const std::string in = "(" + text(static_cast<int>(key)) + ")";
    methods.push_back({"insert", "insert" + in, {[key](Shared& s, Local&) {
                         return returns(std::exchange(s[key], 1) == 0 ? "true" : "false");
                       }}});
    methods.push_back({"remove", "remove" + in, {[key](Shared& s, Local&) {
                         return returns(std::exchange(s[key], 0) != 0 ? "true" : "false");
                       }}});
  }
  Simulated without("Set", {0, 0, 0}, methods);
  EXPECT_EQ(end_of(without, "insert(1) | insert(2)"),
            "insert(1) | insert(2); post remove(1), remove(2)");
  for (const std::size_t key : {1, 2})
    methods.push_back({"contains",
                       "contains(" + text(static_cast<int>(key)) + ")",
                       {[key](Shared& s, Local&) { return returns(text(s[key])); }}});
  Simulated with("Set", {0, 0, 0}, methods);
  EXPECT_EQ(end_of(with, "insert(1) | insert(2)"),
            "insert(1) | insert(2); post contains(1), contains(2)");
}

TEST(Observers, WhatNoCallShowsIsNotObserved) {
  Simulated runner = stack(true, {});
  EXPECT_EQ(end_of(runner, "push(1) | push(2)"), "push(1) | push(2)");
}

// Without the end it needs two more calls in the columns.
TEST(Observers, ALostElementIsSeenWithTwoOperations) {
  Simulated runner = stack(false, {pop(false)});
  CampaignSettings settings;
  settings.operations = 2;
  settings.random = 0;
  const auto failures = [&] {
    return run_campaign(runner, runner.object(), settings, [](auto&, auto&) { return true; })
        .failures;
  };
  EXPECT_TRUE(failures().empty());
  settings.observers = Observers::find(runner, runner.object(), all_calls(runner));
  const std::vector<TestFailure> found = failures();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(to_text(found[0].test, runner.object()), "push(1) | push(1); post pop(), pop()");
}

// ---- which tests

TEST(Matrices, OfASizeWithTooManyTestsSomeOfAllShapesAreDrawn) {
  Simulated runner = stack(true, {pop(false), size()});
  CampaignSettings settings;
  settings.random = 0;
  settings.most_in_order = 150;  // of more than 500
  const CampaignTests tests(runner.object(), settings);
  EXPECT_FALSE(tests.has_all());
  EXPECT_EQ(tests.in_order.tests.size(), 150u);
  std::set<Matrix> different;
  std::set<std::size_t> columns;
  int before = 0;
  for (const CampaignTest& test : tests.in_order.tests) {
    EXPECT_TRUE(different.insert(test.test).second) << "twice";
    EXPECT_LE(before, size(test.test));
    before = size(test.test);
    if (before == 4) columns.insert(test.test.columns.size());
  }
  EXPECT_EQ(before, 4);
  EXPECT_EQ(columns, (std::set<std::size_t>{2, 3}));
}

TEST(Matrices, EverySizeHasItsShare) {
  Simulated runner = stack(true, {pop(false), size()});
  CampaignSettings settings;
  settings.random = 0;
  settings.operations = 8;
  const CampaignTests tests(runner.object(), settings);
  std::set<int> sizes;
  for (const CampaignTest& test : tests.in_order.tests) sizes.insert(size(test.test));
  EXPECT_EQ(sizes, (std::set<int>{2, 3, 4, 5, 6, 7, 8}));
  EXPECT_LE(tests.in_order.tests.size(), settings.most_in_order);
}

TEST(Matrices, RandomTestsOfAllSizesBeginWithOtherCallsAndAreDifferent) {
  Simulated runner = stack(true, {pop(false), size()});
  const Alphabet alphabet{{{0}, {1}, {2}, {3}}, {}, {}};
  const std::vector<Matrix> tests = sample_sizes(runner.object(), alphabet, {0, 1}, 3, 3, 100, 7);
  EXPECT_EQ(tests, sample_sizes(runner.object(), alphabet, {0, 1}, 3, 3, 100, 7));
  EXPECT_NE(tests, sample_sizes(runner.object(), alphabet, {0, 1}, 3, 3, 100, 8));
  ASSERT_EQ(tests.size(), 100u);
  std::map<std::pair<std::size_t, std::size_t>, int> sizes;
  std::set<std::size_t> before;
  for (const Matrix& test : tests) {
    ++sizes[{test.columns[0].size(), test.columns.size()}];
    before.insert(test.initial.size());
    EXPECT_TRUE(std::ranges::all_of(test.initial, [](int i) { return i <= 1; }));
  }
  EXPECT_EQ(sizes.size(), 4u);
  EXPECT_EQ((sizes[{3, 3}]), 10);
  EXPECT_EQ(before, (std::set<std::size_t>{0, 1, 2, 3}));
  EXPECT_EQ(std::set<Matrix>(tests.begin(), tests.end()).size(), tests.size());
}

}  // namespace
}  // namespace plumb::lineup
