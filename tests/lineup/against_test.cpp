// SPDX-License-Identifier: MIT
// Classes against a reference: another class, whose serial histories are the specification.
#include <gtest/gtest.h>

#include <random>

#include "lineup/check.hpp"
#include "lineup/explain.hpp"
#include "lineup/simulated.hpp"
#include "lineup/witness.hpp"

namespace plumb::lineup {
namespace {

// Phase 1 is the reference's.
class AgainstRunner final : public Runner {
 public:
  AgainstRunner(Simulated& object, Simulated& reference) : object_(object), reference_(reference) {}

  RunResult serial(const Matrix& test, const OnHistory& on_history) override {
    return reference_.serial(test, [&](ObservedHistory history) {
      for (ObservedEvent& event : history.events) {
        if (event.is_return)
          event.result = object_.results().number(reference_.results().text(event.result));
      }
      return on_history(history);
    });
  }
  RunResult concurrent(const Matrix& test, int preemptions, const OnHistory& on_history) override {
    return object_.concurrent(test, preemptions, on_history);
  }
  const Results& results() const override { return object_.results(); }

 private:
  Simulated& object_;
  Simulated& reference_;
};

using Numbers = std::mt19937_64;
int pick(Numbers& numbers, int n) {
  return static_cast<int>(numbers() % static_cast<std::uint64_t>(n));
}

// What the steps of three methods do to two variables.
using Recipe = std::vector<std::vector<int>>;

Recipe random_recipe(Numbers& numbers, int most_steps) {
  Recipe recipe(3);
  for (auto& steps : recipe) {
    steps.resize(static_cast<std::size_t>(1 + pick(numbers, most_steps)));
    for (int& step : steps) step = pick(numbers, 12);
  }
  return recipe;
}

Simulated made_by(const Recipe& recipe) {
  std::vector<SimulatedMethod> methods;
  for (std::size_t m = 0; m < recipe.size(); ++m) {
    const std::string name(1, static_cast<char>('f' + m));
    methods.push_back({name, name + "()", {}});
    for (std::size_t i = 0; i < recipe[m].size(); ++i) {
      const bool is_last = i + 1 == recipe[m].size();
      const auto v = static_cast<std::size_t>(recipe[m][i] % 2);
      methods.back().steps.push_back([what = recipe[m][i] / 2, v, is_last](Shared& s, Local& l) {
        const auto on = [&] { return is_last ? returns(std::to_string(l.x)) : next(); };
        switch (what) {
          case 0: return l.x = s[v], on();
          case 1: return s[v] = l.x + 1, on();
          case 2: return s[v] = (s[v] + 1) % 3, on();
          case 3: return l.x += s[v], on();
          case 4: return s[v] == 0 ? blocks() : (s[v] = 0, on());
          default: return l.x = s[v], s[v] = 2, on();
        }
      });
    }
  }
  return {"Random", {0, 0}, std::move(methods)};
}

// A class, and one that differs in a step, or not at all.
struct Pair {
  Simulated object, reference;
  Matrix test;
};

Pair random_pair(Numbers& numbers) {
  const Recipe recipe = random_recipe(numbers, 2);
  Recipe other = recipe;
  if (pick(numbers, 3) > 0)
    other[static_cast<std::size_t>(pick(numbers, 3))][0] = pick(numbers, 12);
  Pair pair{made_by(recipe), made_by(other), {}};
  for (int t = 0; t < 2; ++t) {
    pair.test.columns.emplace_back();
    for (int i = 1 + pick(numbers, 2); i > 0; --i)
      pair.test.columns.back().push_back(pick(numbers, 3));
  }
  return pair;
}

// By the definitions: the history is no history of the reference.
struct Definitions {
  Definitions(AgainstRunner& runner, const Matrix& test) : test(test) {
    runner.serial(test, [&](const ObservedHistory& history) { return serial.add(history), true; });
  }
  // Whether some of the object's histories is a violation.
  bool violated(Simulated& object, int preemptions) const {
    bool any = false;
    object.concurrent(test, preemptions, [&](const ObservedHistory& history) {
      any |= is_violation(test, history, serial, false);
      return true;
    });
    return any;
  }
  const Matrix& test;
  SerialHistories serial;
};

constexpr int kPairs = 600;

CheckSettings serial_first(int preemptions = Runner::kUsual) {
  CheckSettings settings;
  settings.preemptions = preemptions;
  settings.serial_first = true;
  return settings;
}

TEST(Against, TheVerdictIsThatOfTheDefinitionsOverTheReferencesSerialHistories) {
  Numbers numbers(1);
  int failed = 0;
  for (int i = 0; i < kPairs; ++i) {
    Pair pair = random_pair(numbers);
    AgainstRunner runner(pair.object, pair.reference);
    const CheckResult result = check(runner, pair.object.object(), pair.test, serial_first());
    const Definitions definitions(runner, pair.test);
    const bool expected = definitions.violated(pair.object, Runner::kUsual) ||
                          definitions.violated(pair.object, Runner::kSerial);
    EXPECT_EQ(result.verdict,
              expected ? CheckResult::TestVerdict::fail : CheckResult::TestVerdict::pass)
        << "pair " << i << ", " << to_text(pair.test, pair.object.object());
    failed += expected ? 1 : 0;
  }
  EXPECT_GT(failed, kPairs / 10);
  EXPECT_LT(failed, kPairs * 9 / 10);
}

TEST(Against, WhatDiffersSeriallyIsFoundWithoutPreemptions) {
  Numbers numbers(2);
  int differs = 0;  // serially
  int missed = 0;   // of these, by a search without preemptions that does not begin serially
  for (int i = 0; i < kPairs; ++i) {
    Pair pair = random_pair(numbers);
    AgainstRunner runner(pair.object, pair.reference);
    const Definitions definitions(runner, pair.test);
    const bool expected = definitions.violated(pair.object, Runner::kSerial);
    const CheckResult result = check(runner, pair.object.object(), pair.test, serial_first(0));
    EXPECT_EQ(result.serially, expected) << "pair " << i;
    if (!expected) continue;
    EXPECT_EQ(result.verdict, CheckResult::TestVerdict::fail) << "pair " << i;
    EXPECT_TRUE(is_violation(pair.test, *result.history, definitions.serial, false));
    ++differs;
    missed += definitions.violated(pair.object, 0) ? 0 : 1;
  }
  EXPECT_GT(differs, kPairs / 10);
  EXPECT_GT(missed, 0);  // so it matters
}

TEST(Against, AClassIsJudgedAgainstItselfAsWithoutAReference) {
  Numbers numbers(3);
  int failed = 0;
  for (int i = 0; i < kPairs; ++i) {
    Pair pair = random_pair(numbers);
    AgainstRunner runner(pair.object, pair.object);
    const Object& object = pair.object.object();
    const CheckResult alone = check(pair.object, object, pair.test, {});
    const CheckResult against = check(runner, object, pair.test, serial_first());
    EXPECT_EQ(alone.verdict, against.verdict) << "pair " << i;
    EXPECT_EQ(alone.failure, against.failure) << "pair " << i;
    EXPECT_FALSE(against.serially) << "pair " << i;
    failed += alone.verdict == CheckResult::TestVerdict::fail ? 1 : 0;
  }
  EXPECT_GT(failed, kPairs / 20);
}

TEST(Against, ReportsNameTheReference) {
  // A counter that counts by two, and one that never says how much.
  const auto counter = [](int by) {
    return Simulated("Counter", {0},
                     {{"add", "add()", {[by](Shared& s, Local&) { return s[0] += by, returns(); }}},
                      {"wait", "wait()", {[by](Shared& s, Local&) {
                         return s[0] < 3 - by ? blocks() : returns(std::to_string(s[0]));
                       }}}});
  };
  const auto told = [](Simulated object, Simulated reference, const char* text) {
    AgainstRunner runner(object, reference);
    Object described = object.object();
    described.reference = "SimpleCounter";
    const Matrix test = object.test(text);
    const CheckResult result = check(runner, described, test, serial_first());
    EXPECT_EQ(result.verdict, CheckResult::TestVerdict::fail);
    return explain(test, described, result, runner.results()).why;
  };
  const std::vector<std::string> results = told(counter(2), counter(1), "add, add | wait");
  ASSERT_EQ(results.size(), 2U);
  EXPECT_EQ(results[0], "No serial order of SimpleCounter gives these results.");
  const std::vector<std::string> blocked = told(counter(1), counter(2), "add | wait");
  ASSERT_EQ(blocked.size(), 2U);
  EXPECT_EQ(blocked[0],
            "wait() of B never returns, but it blocks in no serial order of SimpleCounter.");
}

}  // namespace
}  // namespace plumb::lineup
