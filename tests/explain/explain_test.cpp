// SPDX-License-Identifier: MIT
// Sentences are claims, so they are tested as such, on random histories of every specification
// (a fifth of PLUMB_ORACLE_N each).
#include "explain/explain.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "check/problem/engine.hpp"
#include "explain/orders.hpp"
#include "explain/patterns.hpp"
#include "oracle/oracle.hpp"

namespace plumb::test {
namespace {

// Returns in their order, as positions in the history's events.
std::vector<std::uint32_t> returns_of(const History& history) {
  std::vector<std::uint32_t> positions;
  for (std::uint32_t i = 0; i < history.events.size(); ++i)
    if (history.events[i].is_return()) positions.push_back(i);
  return positions;
}

bool explained_up_to(const History& history, const Specification& specification,
                     std::uint32_t position) {
  const Problem whole = prefix(make_problem(history, specification), position);
  std::vector<OperationId> kept;  // what never returns did not take effect
  for (OperationId op = 0; op < whole.ops.size(); ++op)
    if (!whole.ops[op].judged) kept.push_back(op);
  Problem problem = restrict(whole, kept);
  problem.stuck = false;
  Budget budget;
  return decide_brute(problem, budget).verdict == Verdict::holds;
}

Counterexample all_before(const History& history, OperationId culprit) {
  Counterexample c;
  c.culprit = culprit;
  for (OperationId op = 0; op < history.size(); ++op)
    if (history.call[op] < history.ret[culprit]) c.operations.push_back(op);
  return c;
}

History with_result(const History& history, OperationId op, Value result) {
  History changed = history;
  changed.labels.push_back({history.labels[history.label[op]].call, true, result});
  changed.label[op] = static_cast<LabelId>(changed.labels.size() - 1);
  return changed;
}

// Calls visit(history, specification, position of the first unexplained return or kNone).
template <class Visit>
void for_random_histories(Visit visit) {
  const std::uint64_t n = histories() / 5;
  for (const Specification* specification : all_specifications()) {
    const RandomHistories random(*specification);
    for (std::uint64_t i = 0; i < n; ++i) {
      const History history = random.make(seed_of(*specification, i), {.fewest = 2, .most = 7});
      SCOPED_TRACE(specification->name() + ": " + to_text(history));
      std::uint32_t failing = kNone;
      for (const std::uint32_t position : returns_of(history))
        if (!explained_up_to(history, *specification, position)) {
          failing = position;
          break;
        }
      visit(history, *specification, failing);
      if (::testing::Test::HasFailure()) return;
    }
  }
}

TEST(Explain, NoPatternSpeaksAgainstAReturnThatHasAnExplanation) {
  for_random_histories(
      [](const History& history, const Specification& specification, std::uint32_t failing) {
        for (const std::uint32_t position : returns_of(history)) {
          if (position >= failing) break;
          const OperationId culprit = history.events[position].operation();
          const Counterexample c = all_before(history, culprit);
          const report::Story story(history, specification, c, {});
          EXPECT_EQ(report::find_pattern(story).sentence, "");
        }
      });
}

TEST(Explain, TheAlternativesAreTheResultsThatBruteAccepts) {
  for_random_histories(
      [](const History& history, const Specification& specification, std::uint32_t failing) {
        if (failing == kNone) return;
        const OperationId culprit = history.events[failing].operation();
        Counterexample c = all_before(history, culprit);
        explain(history, specification, c);
        EXPECT_FALSE(c.why.empty());
        const report::Story story(history, specification, c, {});
        const report::Alternatives found = report::find_alternatives(story);
        ASSERT_TRUE(found.known);
        EXPECT_TRUE(found.of_all);
        // Nil may mean "not recorded", which brute accepts as anything.
        if (story.method(culprit).nil_is_unrecorded) return;
        const auto accepts = [&](Value result) {
          return explained_up_to(with_result(history, culprit, result), specification, failing);
        };
        for (const Value result : found.results) EXPECT_TRUE(accepts(result)) << result.to_string();
        for (const Label& label : history.labels) {
          BoundLabel other = story.bound(culprit);
          other.result = label.result;
          other.known = true;
          if (!specification.reject(other).empty()) continue;
          if (std::count(found.results.begin(), found.results.end(), label.result)) continue;
          EXPECT_FALSE(accepts(label.result)) << label.result.to_string();
        }
      });
}

TEST(Explain, ManyViolationsAreToldInTheObjectsOwnWords) {
  std::size_t violations = 0, patterns = 0;
  for_random_histories(
      [&](const History& history, const Specification& specification, std::uint32_t failing) {
        if (failing == kNone) return;
        const Counterexample c = all_before(history, history.events[failing].operation());
        ++violations;
        const report::Story story(history, specification, c, {});
        patterns += !report::find_pattern(story).sentence.empty();
      });
  RecordProperty("violations", static_cast<int>(violations));
  RecordProperty("patterns", static_cast<int>(patterns));
  EXPECT_GT(patterns * 3, violations) << "fewer than a third of " << violations;
}

TEST(Explain, AnOperationThatIsStuckWithoutReasonIsNamed) {
  const Case c("A inc: nil | B inc | #", "counter");
  Counterexample example;
  example.operations = {1};
  example.culprit = 1;
  explain(c.history, *find_specification("counter"), example);
  ASSERT_EQ(example.why.size(), 1u);
  EXPECT_EQ(example.why[0],
            "inc() is pending forever although nothing in the specification blocks it here: in "
            "every order of the completed operations it can return.");
}

TEST(Explain, WithoutACulpritItStillSaysSomething) {
  const Case c("A read: 7", "register");
  Counterexample example;
  example.operations = {0};
  explain(c.history, *find_specification("register"), example);
  EXPECT_EQ(example.why, std::vector<std::string>{"No order of these 1 operation explains their "
                                                  "results."});
}

TEST(Explain, TheStateAtACutOnTheLeftIsTheStart) {
  // From [5] on; what made it so is not looked at.
  const Case c("A enq(5): nil | B deq: 6", "queue");
  Counterexample example;
  example.operations = {1};
  example.culprit = 1;
  example.left_state = "[5]";
  example.left_position = 2;
  const Value five[] = {Value::integer(5)};
  auto space = find_specification("queue")->states(Value::list(five));
  example.left_space_state = space->initial();
  example.left_space = std::move(space);
  const report::Story story(c.history, *find_specification("queue"), example, {});
  const report::Alternatives found = report::find_alternatives(story);
  ASSERT_TRUE(found.known);
  EXPECT_EQ(found.results, std::vector<Value>{Value::integer(5)});
}

TEST(Explain, AStateThatNoInitialValueGivesIsNotGuessed) {
  const Case c("A enq(5): nil | B deq: 6", "queue");
  Counterexample example;
  example.operations = {1};
  example.culprit = 1;
  example.left_state = "(5,6)";
  const report::Story story(c.history, *find_specification("queue"), example, {});
  EXPECT_FALSE(report::find_alternatives(story).known);
}

}  // namespace
}  // namespace plumb::test
