// SPDX-License-Identifier: MIT
// Lemma 8 and Theorems 5 to 7 of Line-Up on random small classes, all schedules; and each part
// against its definition.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "lineup/campaign.hpp"
#include "lineup/check.hpp"
#include "lineup/matrices.hpp"
#include "lineup/random_classes.hpp"
#include "lineup/shrink.hpp"
#include "lineup/simulated.hpp"
#include "lineup/symmetry.hpp"
#include "lineup/witness.hpp"

namespace plumb::lineup {
namespace {

CheckResult check_all(Simulated& runner, const Matrix& test) {
  return check(runner, runner.object(), test, {});
}

TEST(LineUpProperties, Theorem_5_AtomicDeterministicClassesPassEveryTest) {
  Random random(seed());
  for (std::uint64_t i = 0; i < classes(); ++i) {
    Simulated runner = random_class(random, 1);
    const Matrix test = random_test(random, 2 + draw(random, 2), 2);
    EXPECT_EQ(check_all(runner, test).verdict, CheckResult::TestVerdict::pass)
        << to_text(test, runner.object()) << " of class " << i;
  }
}

// Calls use(runner, test, number) for random classes of which a random test fails, until it has
// said often enough that this shows something.
template <class Use>
void for_failing_tests(Random& random, int threads, Use use) {
  std::uint64_t failing = 0;
  Draws draws(classes());
  draws.until("failing tests that show something", failing, classes() / 20 + 1);
  for (const std::uint64_t i : draws) {
    Simulated runner = random_class(random, 3);
    const Matrix test = random_test(random, threads, 2);
    if (check_all(runner, test).verdict != CheckResult::TestVerdict::fail) continue;
    failing += use(runner, test, i);
  }
  EXPECT_EQ(draws.lacks(), "");
}

// Whether the longer test has the history in which the shorter one fails, or an extension of it in
// which the old operations have all returned before the new ones are called. An operation that
// blocks may be woken by what another thread calls next.
bool fails_too(const CheckResult& failed, const Matrix& test, const Matrix& longer) {
  if (failed.failure != Failure::blocked) return true;
  if (longer.columns.size() > test.columns.size()) return false;
  const Witness witness(test, *failed.history);
  for (std::size_t c = 0; c < test.columns.size(); ++c) {
    const auto waits = [&](int operation) {
      return cells(test)[static_cast<std::size_t>(operation)].thread == static_cast<int>(c) + 1;
    };
    if (longer.columns[c] != test.columns[c] && std::ranges::none_of(witness.pending(), waits))
      return false;
  }
  return true;
}

TEST(LineUpProperties, Lemma_8_WhatExtendsAFailingTestFails) {
  Random random(seed() + 1);
  for_failing_tests(random, 2, [&](Simulated& runner, const Matrix& test, std::uint64_t i) {
    Matrix longer = test;
    longer.columns[static_cast<std::size_t>(draw(random, 2))].push_back(draw(random, 3));
    if (draw(random, 3) == 0) longer.columns.push_back({draw(random, 3)});
    EXPECT_TRUE(is_prefix(test, longer));
    if (!fails_too(check_all(runner, test), test, longer)) return false;
    EXPECT_EQ(check_all(runner, longer).verdict, CheckResult::TestVerdict::fail)
        << to_text(test, runner.object()) << " fails, " << to_text(longer, runner.object())
        << " does not; class " << i;
    return true;
  });
}

// The paper states it without an exception. Here g() is stuck after f(), and serially it never is;
// h() wakes it.
TEST(LineUpProperties, Lemma_8_DoesNotHoldIfTheNewOperationWakesABlockedOne) {
  Simulated runner("Woken", {0, 0},
                   {{"f",
                     "f()",
                     {[](Shared& s, Local&) { return s[0] == 0 ? blocks() : next(); },
                      [](Shared& s, Local&) { return s[1] = 1, returns(); }}},
                    {"g",
                     "g()",
                     {[](Shared& s, Local&) { return s[0] = 1, next(); },
                      [](Shared& s, Local&) { return s[1] == 1 ? blocks() : returns(); }}},
                    {"h", "h()", {[](Shared& s, Local&) { return s[1] = 0, returns(); }}}});
  const CheckResult shorter = check_all(runner, runner.test("g | f"));
  EXPECT_EQ(shorter.failure, Failure::blocked);
  EXPECT_EQ(check_all(runner, runner.test("g | f, h")).verdict, CheckResult::TestVerdict::pass);
}

TEST(LineUpProperties, Theorems_6_And_7_AutoCheckFindsWhateverSomeTestShows) {
  Random random(seed() + 2);
  for_failing_tests(random, 2, [](Simulated& runner, const Matrix& test, std::uint64_t i) {
    CampaignSettings settings;
    settings.operations = size(test);
    settings.threads = 2;
    settings.random = 0;
    settings.most_in_order = 100'000;
    settings.shrink = false;
    const CampaignResult result =
        run_campaign(runner, runner.object(), settings, [](auto&, auto&) { return true; });
    EXPECT_EQ(result.failures.size(), 1u) << to_text(test, runner.object()) << " of class " << i;
    if (result.failures.empty()) return false;
    // In order: so nothing smaller fails.
    EXPECT_LE(size(result.failures[0].found), size(test));
    return true;
  });
}

#ifdef PLUMB_SANITIZED  // which looks for mistakes in memory
constexpr std::uint64_t kOfOneClass = 1'000;
#else
constexpr std::uint64_t kOfOneClass = 1'000'000'000;
#endif

TEST(LineUpProperties, TheSearchAgreesWithTheDefinitionOnEveryHistory) {
  Random random(seed() + 3);
  const std::uint64_t n = classes();
  std::uint64_t histories = 0, violations = 0, stuck = 0;
  Draws draws(n);
  draws.until("histories", histories, 6 * n).until("violations", violations, n / 2 + 1);
  draws.until("stuck", stuck, n / 2 + 1);
  for ([[maybe_unused]] const std::uint64_t i : draws) {
    Simulated runner = random_class(random, 3);
    const Matrix test = random_test(random, 2 + draw(random, 2), 2);
    SerialHistories serial;
    runner.serial(test, [&](const ObservedHistory& h) { return serial.add(h), true; });
    const std::uint64_t enough = histories + kOfOneClass;
    runner.concurrent(test, -1, [&](const ObservedHistory& history) {
      const Witness witness(test, history);
      bool explained = true;
      if (!history.stuck) {
        const auto found = witness.find(serial);
        explained = found.has_value();
        if (found) { EXPECT_TRUE(witness.is_witness(*found, {})); }
      } else {
        for (const int pending : witness.pending()) {
          const auto found = witness.find_stuck(serial, pending);
          explained &= found.has_value();
          if (found) { EXPECT_TRUE(witness.is_witness(*found, pending)); }
        }
      }
      EXPECT_EQ(explained, !is_violation(test, history, serial, false));
      if (!history.stuck) {
        const auto nearest = witness.nearest(serial, {});
        if (nearest) { EXPECT_EQ(nearest->differs.empty(), explained); }
      }
      ++histories;
      violations += explained ? 0 : 1;
      stuck += history.stuck ? 1 : 0;
      return histories < enough;
    });
  }
  EXPECT_EQ(draws.lacks(), "");
}

TEST(LineUpProperties, AShrunkTestFailsAndNothingOneStepSmallerDoes) {
  Random random(seed() + 4);
  for_failing_tests(random, 3, [](Simulated& runner, const Matrix& test, std::uint64_t) {
    const Failure kind = check_all(runner, test).failure;
    const auto fails = [&](const Matrix& t, int) { return check_all(runner, t).failure == kind; };
    const Shrunk result = shrink(runner.object(), {}, test, 0, 0, fails);
    EXPECT_TRUE(fails(result.test, 0));
    for (std::size_t c = 0; c < result.test.columns.size(); ++c) {
      for (std::size_t r = 0; r < result.test.columns[c].size(); ++r) {
        Matrix smaller = result.test;
        smaller.columns[c].erase(smaller.columns[c].begin() + static_cast<std::ptrdiff_t>(r));
        std::erase_if(smaller.columns, [](const Column& column) { return column.empty(); });
        if (!smaller.columns.empty()) { EXPECT_FALSE(fails(smaller, 0)); }
      }
    }
    return true;
  });
}

// Two operations race; three or more use what was freed.
class Finds final : public Runner {
 public:
  RunResult serial(const Matrix&, const OnHistory&) override { return {}; }
  RunResult concurrent(const Matrix& test, int, const OnHistory&) override {
    RunResult ran;
    if (size(test) < 2) return ran;
    ran.end = RunResult::End::finding;
    ran.finding = size(test) == 2 ? FindingKind::race : FindingKind::use_after_free;
    return ran;
  }
  const Results& results() const override { return results_; }

 private:
  Results results_;
};

TEST(LineUpProperties, AFindingShrinksToATestThatShowsTheSameKindOfFinding) {
  Random random(seed());
  const Simulated simulated = random_class(random, 1);
  Finds runner;
  CampaignSettings settings;
  settings.given = {Matrix{{}, {{0, 1}, {1, 2}}, {}}};
  const CampaignResult result =
      run_campaign(runner, simulated.object(), settings, [](auto&, auto&) { return true; });
  ASSERT_EQ(result.failures.size(), 1u);
  EXPECT_EQ(size(result.failures[0].test), 3);
  EXPECT_EQ(result.failures[0].result.finding, FindingKind::use_after_free);
}

// Every test fails: what is left is what is kept.
Matrix least(Matrix test, const Kept& kept) {
  Random random(seed());
  return shrink(random_class(random, 1).object(), kept, std::move(test), 0, 0,
                [](const Matrix&, int) { return true; })
      .test;
}

TEST(LineUpProperties, WhatIsToBeCalledTogetherIsNotTakenApartByShrinking) {
  const Matrix test{{2}, {{0, 1, 2, 2, 0, 1}, {0, 1}}, {1}};
  EXPECT_EQ(least(test, {}), (Matrix{{}, {{0}}, {}}));
  EXPECT_EQ(least(test, {{{0, 1}, {2, 2}}, false, false}), (Matrix{{}, {{0, 1}}, {}}));
  EXPECT_EQ(least(test, {{}, true, true}), (Matrix{{2}, {{0}}, {1}}));
  EXPECT_TRUE(is_made_of({0, 1, 0}, {{0}, {1, 0}}));
  EXPECT_FALSE(is_made_of({0, 1, 0}, {{0, 1}}));
}

// With one operation an assertion fails that is about how the object is used, with more another.
class Asserts final : public Runner {
 public:
  RunResult serial(const Matrix&, const OnHistory&) override { return {}; }
  RunResult concurrent(const Matrix& test, int, const OnHistory&) override {
    RunResult ran;
    ran.end = RunResult::End::finding;
    ran.finding = FindingKind::assertion;
    ran.what = size(test) == 1 ? "is_open" : "count == 2";
    return ran;
  }
  const Results& results() const override { return results_; }

 private:
  Results results_;
};

TEST(LineUpProperties, AnAssertionShrinksToATestInWhichTheSameOneFails) {
  Random random(seed());
  Asserts runner;
  CampaignSettings settings;
  settings.given = {Matrix{{}, {{0, 1}, {1, 2}}, {}}};
  const Simulated simulated = random_class(random, 1);
  const CampaignResult result =
      run_campaign(runner, simulated.object(), settings, [](auto&, auto&) { return true; });
  ASSERT_EQ(result.failures.size(), 1u);
  EXPECT_EQ(size(result.failures[0].test), 2);
}

// However many outcomes the one that may differ has.
TEST(LineUpProperties, AnOperationThatDiffersIsFoundBesideAnotherThatMay) {
  SerialHistories serial;
  for (ResultId of_first = 0; of_first < 100; ++of_first) {
    for (ResultId of_second = 0; of_second < 2; ++of_second)
      serial.add(SerialHistory{{0, of_first}, {1, of_second}});
  }
  const auto fork = serial.nondeterminism([](int operation) { return operation == 0; });
  ASSERT_TRUE(fork);
  EXPECT_EQ(fork->first.back().operation, 1);
  EXPECT_FALSE(serial.nondeterminism([](int) { return true; }));
}

std::vector<Matrix> all_tests(const Object& object, const Alphabet& alphabet) {
  std::vector<Matrix> all;
  enumerate(object, alphabet, 4, 3, [&](const Matrix& test) {
    all.push_back(test);
    return true;
  });
  return all;
}

TEST(LineUpProperties, EnumerationHasEveryTestOnceSmallestFirst) {
  Random random(seed());
  const Simulated runner = random_class(random, 1);
  const std::vector<Matrix> all = all_tests(runner.object(), {{{0}, {1}, {2}}, {}, {}});
  EXPECT_TRUE(std::ranges::is_sorted(all, {}, [](const Matrix& test) { return size(test); }));
  EXPECT_EQ(std::set<Matrix>(all.begin(), all.end()).size(), all.size());
  // 3^2; 2 x 3^3 + 3^3; (3 + 3) x 3^4.
  EXPECT_EQ(all.size(), 9u + 54 + 27 + 3 * 81 + 3 * 81);
}

TEST(LineUpProperties, OneOrderOfThreadsStandsForAll) {
  Random random(seed());
  const Simulated runner = random_class(random, 1);
  const Alphabet alphabet{{{0}, {1}, {2}}, {}, {}};
  const Symmetry symmetry = symmetry_of(runner.object(), alphabet);
  std::set<Matrix> stand, all;
  for (const Matrix& test : all_tests(runner.object(), alphabet)) {
    all.insert(canonical(test));
    if (stands_for_all(test, symmetry)) stand.insert(test);
  }
  EXPECT_EQ(stand, all);
  // Multisets of columns: 2 operations 6; 3: 27 + 10; 4: 81 + 45, and 9 x 6.
  EXPECT_EQ(stand.size(), 6u + 27 + 10 + 81 + 45 + 54);
}

// Two methods with the values 1 and 2, one with none.
Object object_with_values() {
  Object object{"Values", {}, true};
  for (const char* text : {"put(1)", "put(2)", "has(1)", "has(2)", "get()"}) {
    Invocation it;
    it.text = text;
    it.method = it.text.substr(0, 3);
    object.invocations.push_back(it);
  }
  return object;
}

TEST(LineUpProperties, OneNamingOfValuesStandsForAll) {
  const Object object = object_with_values();
  const Alphabet alphabet{{{0}, {1}, {2}, {3}, {4}}, {}, {}};
  const Symmetry symmetry = symmetry_of(object, alphabet);
  ASSERT_EQ(symmetry.renamings, (std::vector<Column>{{1, 0, 3, 2, 4}}));
  const auto exchanged = [&](Matrix test) {
    for (Column& column : test.columns) {
      for (int& i : column) i = symmetry.renamings[0][static_cast<std::size_t>(i)];
    }
    return canonical(std::move(test));
  };
  for (const Matrix& test : all_tests(object, alphabet)) {
    // Of a test and what it is alike to, exactly one stands for all.
    const std::set<Matrix> alike{canonical(test), exchanged(test)};
    EXPECT_EQ(std::ranges::count_if(
                  alike, [&](const Matrix& one) { return stands_for_all(one, symmetry); }),
              1)
        << to_text(test, object);
  }
}

TEST(LineUpProperties, ValuesKeepTheirNamesWhereATestBeginsWithThem) {
  const Object object = object_with_values();
  EXPECT_TRUE(symmetry_of(object, {{{0}, {1}, {4}}, {0}, {}}).renamings.empty());
  EXPECT_TRUE(symmetry_of(object, {{{0}, {4}}, {}, {}}).renamings.empty()) << "put(2) is left out";
}

TEST(LineUpProperties, ThreadsComeInEveryOrderOnceAnOperationAsksWhoItIs) {
  Random random(seed());
  Simulated runner = random_class(random, 1);
  CampaignSettings settings;
  settings.operations = 3;
  settings.random = 0;
  settings.keep_going = true;
  settings.shrink = false;
  std::multiset<Matrix> seen;
  settings.on_tested = [&](std::uint64_t, const Matrix& test, const CheckResult&,
                           const TestProgress&) { seen.insert(test); };
  const auto go_on = [](const CampaignResult&, const Matrix&) { return true; };
  const CampaignResult alike = run_campaign(runner, runner.object(), settings, go_on);
  runner.asks_who = true;
  const std::size_t before = seen.size();
  EXPECT_EQ(alike.in_order, before);
  seen.clear();
  const CampaignResult different = run_campaign(runner, runner.object(), settings, go_on);
  EXPECT_TRUE(different.threads_differ);
  EXPECT_EQ(different.in_order, seen.size());
  EXPECT_GT(seen.size(), before);
  std::set<Matrix> all;
  Alphabet alphabet;
  for (int i = 0; i < static_cast<int>(runner.object().invocations.size()); ++i)
    alphabet.units.push_back({i});
  for (const Matrix& test : all_tests(runner.object(), alphabet)) {
    if (size(test) <= 3) all.insert(test);
  }
  EXPECT_EQ(std::set<Matrix>(seen.begin(), seen.end()), all);
  EXPECT_EQ(seen.size(), all.size());
}

TEST(LineUpProperties, ASampleDependsOnItsSeedOnly) {
  Random random(seed());
  Simulated runner = random_class(random, 1);
  const Alphabet alphabet{{{0}, {1}, {2}}, {}, {}};
  const auto a = sample(runner.object(), alphabet, 3, 3, 20, 7);
  EXPECT_EQ(a, sample(runner.object(), alphabet, 3, 3, 20, 7));
  EXPECT_NE(a, sample(runner.object(), alphabet, 3, 3, 20, 8));
  ASSERT_EQ(a.size(), 20u);
  // The same on every machine.
  EXPECT_EQ(to_text(a[0], runner.object()),
            to_text(sample(runner.object(), alphabet, 3, 3, 1, 7)[0], runner.object()));
  for (const Matrix& test : a) EXPECT_EQ(size(test), 9);
}

TEST(LineUpProperties, RolesKeepOperationsOnTheirThreads) {
  Random random(seed());
  Simulated runner = random_class(random, 1);
  Object object = runner.object();
  object.invocations[0].only_on = 0;
  object.invocations[1].one_thread = true;
  const Alphabet alphabet{{{0}, {1}, {2}}, {}, {}};
  const auto tests = sample(object, alphabet, 3, 3, 50, 1);
  EXPECT_EQ(tests.size(), 50u);
  const auto kept = [&](const Matrix& test) {
    int columns_with_g = 0;
    for (std::size_t c = 0; c < test.columns.size(); ++c) {
      const Column& column = test.columns[c];
      if (c != 0) { EXPECT_EQ(std::count(column.begin(), column.end(), 0), 0); }
      columns_with_g += std::count(column.begin(), column.end(), 1) > 0 ? 1 : 0;
    }
    EXPECT_LE(columns_with_g, 1);
    return true;
  };
  std::ranges::for_each(tests, kept);
  bool owner_has_less = false;
  enumerate(object, alphabet, 3, 2, [&](const Matrix& test) {
    owner_has_less |= test.columns[0] == Column{0} && test.columns[1].size() == 2;
    return kept(test);
  });
  EXPECT_TRUE(owner_has_less);
}

}  // namespace
}  // namespace plumb::lineup
