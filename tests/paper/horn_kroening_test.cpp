// SPDX-License-Identifier: MIT
// A. Horn, D. Kroening: Faster linearizability checking via P-compositionality. The figures and
// examples by their numbers; Example 9 and Algorithms 1 and 3 with their errata.
#include <gtest/gtest.h>

#include <algorithm>

#include "check/engines/wgl_entries.hpp"
#include "check/problem/engine.hpp"
#include "check/problem/partition.hpp"
#include "plumb/describe.hpp"
#include "support/history_text.hpp"

namespace plumb::test {
namespace {

// Figure 1.
constexpr const char* kH1 = "A insert(1) | B remove(1) | A: true | B: false | C contains(1): true";
// Figure 2a.
constexpr const char* kFigure2 =
    "A insert(0) | B contains(0) | C remove(1) | A: true | B: true | C: false";

// The sizes of the partitions, in order of their keys.
std::vector<std::size_t> split(const History& history, const Specification& specification) {
  CheckOptions options;
  options.specification = &specification;
  Result<Partitioning> result = make_partitions(history, options);
  EXPECT_TRUE(result.ok());
  auto& partitions = result->partitions;
  std::sort(partitions.begin(), partitions.end(), [](const Partition& a, const Partition& b) {
    return std::tie(a.object, a.keys) < std::tie(b.object, b.keys);
  });
  std::vector<std::size_t> sizes;
  for (const Partition& p : partitions) sizes.push_back(p.problem.ops.size());
  return sizes;
}
std::vector<std::size_t> split(const Case& c) { return split(c.history, *c.problem.specification); }

TEST(HornKroening, Figure1AndExample1HaveSixEventsAndOneOrderInTime) {
  const History h1 = parse_history(kH1);
  EXPECT_EQ(h1.events.size(), 6u);
  EXPECT_LT(h1.ret[0], h1.call[2]);
  EXPECT_EQ(to_text(h1), kH1);
}

TEST(HornKroening, Example2IsSequentialInBothOrders) {
  for (const char* text : {"A remove(1): false | A insert(1): true | A contains(1): true",
                           "A insert(1): true | A remove(1): false | A contains(1): true"}) {
    const Case c(text, "set");
    for (OperationId op = 0; op < 2; ++op) EXPECT_TRUE(c.problem.happens_before(op, op + 1));
  }
}

TEST(HornKroening, Example3TheSpecificationTellsH2FromH3) {
  const Case h2("A remove(1): false | A insert(1): true | A contains(1): true", "set");
  const Case h3("A insert(1): true | A remove(1): false | A contains(1): true", "set");
  EXPECT_EQ(verdict(h2), Verdict::holds);
  EXPECT_EQ(verdict(h3), Verdict::violation);
}

TEST(HornKroening, Example4HappensBefore) {
  const Case h1(kH1, "set");
  EXPECT_TRUE(h1.problem.happens_before(0, 2));
  EXPECT_TRUE(h1.problem.happens_before(1, 2));
  EXPECT_FALSE(h1.problem.happens_before(0, 1));
  EXPECT_FALSE(h1.problem.happens_before(1, 0));
}

TEST(HornKroening, Example5TheOnlyWitnessOfH1IsH2) {
  const Case h1(kH1, "set");
  const std::vector<std::vector<OperationId>> h2 = {{1, 0, 2}};
  for (const std::string& engine : general_engines())
    EXPECT_EQ(decide_verified(engine, h1.problem).witnesses, h2) << engine;
}

TEST(HornKroening, Example6LocalityByObject) {
  const Case c("A x.write(1) | B y.write(2): nil | A: nil | B x.read: 1 | A y.read: 2", "register");
  EXPECT_EQ(split(c), (std::vector<std::size_t>{2, 2}));
  EXPECT_EQ(plumb::check(c.history)->verdict, Verdict::holds);
  const Case bad("A x.write(1) | B y.write(2): nil | A: nil | B x.read: 2 | A y.read: 2",
                 "register");
  EXPECT_EQ(plumb::check(bad.history)->verdict, Verdict::violation);
}

TEST(HornKroening, Example7SetsAndMapsByKey) {
  EXPECT_EQ(split(Case("A insert(1): true | B insert(2): true | A remove(1): true", "set")),
            (std::vector<std::size_t>{2, 1}));
  EXPECT_EQ(split(Case("A put(1, 5): nil | B put(2, 5): nil | A get(2): 5", "map")),
            (std::vector<std::size_t>{1, 2}));
}

TEST(HornKroening, Example8ArraysByIndex) {
  EXPECT_EQ(split(Case("A write(0, 5): nil | B write(3, 6): nil | A read(3): 6", "array")),
            (std::vector<std::size_t>{1, 2}));
}

TEST(HornKroening, SizeConcernsAllKeysSoNothingIsSplit) {
  EXPECT_EQ(split(Case("A insert(1): true | B insert(2): true | A size: 2", "set")),
            (std::vector<std::size_t>{3}));
}

// A stack whose operations return the height before they modify it.
struct HeightStack {
  std::vector<int> items;
  auto state() const { return std::tie(items); }
  int push(int v) {
    items.push_back(v);
    return static_cast<int>(items.size()) - 1;
  }
  int pop() {
    const int height = static_cast<int>(items.size());
    if (!items.empty()) items.pop_back();
    return height;
  }
};

TEST(HornKroening, Example9IsFalseAStackIsNotSplitByReturnedHeight) {
  const auto stack = describe<HeightStack>("height-stack")
                         .method("push", &HeightStack::push)
                         .method("pop", &HeightStack::pop);
  const Case whole("A push(7): 0 | A push(8): 1", stack);
  EXPECT_EQ(verdict(whole), Verdict::holds);
  // The part with height 1: push = 1 alone, on an empty stack.
  EXPECT_EQ(verdict(restrict(whole.problem, {0})), Verdict::holds);
  EXPECT_EQ(verdict(restrict(whole.problem, {1})), Verdict::violation);
  EXPECT_EQ(split(whole), (std::vector<std::size_t>{2}));
}

std::vector<std::uint32_t> entries(const EntryList& list) {
  std::vector<std::uint32_t> all;
  for (auto e = list.first(); e != EntryList::kHead; e = list.next(e)) {
    all.push_back(e);
    EXPECT_EQ(list.next(list.prev(e)), e);
  }
  return all;
}

TEST(HornKroening, Figure2AndExample10LiftTakesOutAndUnliftPutsBack) {
  const Case c(kFigure2, "set");
  EntryList list(c.problem);
  const auto call1 = list.call_of(0), call2 = list.call_of(1), call3 = list.call_of(2);
  const auto ret1 = list.match(call1), ret2 = list.match(call2), ret3 = list.match(call3);
  const std::vector<std::uint32_t> a = {call1, call2, call3, ret1, ret2, ret3};
  EXPECT_EQ(entries(list), a);
  EXPECT_EQ(list.prev(call2), call1);
  EXPECT_EQ(list.next(call2), call3);
  EXPECT_TRUE(list.is_call(call2));
  EXPECT_FALSE(list.is_call(ret2));

  list.lift(call2);
  EXPECT_EQ(entries(list), (std::vector<std::uint32_t>{call1, call3, ret1, ret3}));
  EXPECT_EQ(list.prev(call2), call1) << "the fields of what is lifted stay";
  EXPECT_EQ(list.next(call2), call3);
  list.unlift(call2);
  EXPECT_EQ(entries(list), a);
}

TEST(HornKroening, LiftedEntriesComeBackInReverseOrderFromNeighboursAndEnds) {
  const Case c("A insert(0) | A: true | B insert(1) | B: true | C insert(2)", "set");
  EntryList list(c.problem);
  const auto all = entries(list);
  ASSERT_EQ(all.size(), 6u) << "the pending operation has a return, behind all others";
  for (const OperationId op : {1u, 0u, 2u}) list.lift(list.call_of(op));
  EXPECT_EQ(list.first(), EntryList::kHead);
  for (const OperationId op : {2u, 0u, 1u}) list.unlift(list.call_of(op));
  EXPECT_EQ(entries(list), all);
}

TEST(HornKroening, Example11PartitionsFigure2ByKeyEachFromItsFirstEntry) {
  const Case c(kFigure2, "set");
  CheckOptions options;
  options.specification = c.problem.specification;
  Result<Partitioning> result = make_partitions(c.history, options);
  ASSERT_TRUE(result.ok());
  ASSERT_EQ(result->partitions.size(), 2u);
  for (const Partition& p : result->partitions) {
    const bool zero = p.keys == std::vector<Value>{Value::integer(0)};
    // Algorithm 3 as printed returns the last entry of each part instead of the first.
    ASSERT_EQ(p.problem.events.size(), zero ? 4u : 2u);
    EXPECT_FALSE(p.problem.events[0].is_return());
    EXPECT_EQ(p.problem.ops[0].source, zero ? 0u : 2u);
    EXPECT_EQ(verdict(p.problem), Verdict::holds);
  }
}

TEST(HornKroening, Algorithm1StartsAtTheFirstEntryEvenIfThereIsNone) {
  const Case empty("", "set");
  EXPECT_EQ(verdict(empty), Verdict::holds);
}

TEST(HornKroening, Algorithm1EndsWhenNoCompletedOperationIsLeft) {
  // remove(1) cannot be linearized with any result that would help, and need not be.
  EXPECT_EQ(verdict(Case("A insert(1) | B remove(1)", "set")), Verdict::holds);
  const Case c("A lock: nil | B lock | C try_lock: false", "mutex");
  EXPECT_EQ(verdict(c), Verdict::holds);
  EXPECT_EQ(decide_verified("wgl", c.problem).witnesses[0].size(), 2u);
}

TEST(HornKroening, WglFailsAtTheEarliestReturnThatNothingExplains) {
  const Case c("A insert(1): true | B contains(1) | C insert(1) | B: false | C: false", "set");
  const Answer answer = decide_verified("wgl", c.problem);
  EXPECT_EQ(answer.verdict, Verdict::violation);
  EXPECT_EQ(answer.failing_event, c.problem.ops[1].ret);
  EXPECT_EQ(answer.covered, 2u);
}

TEST(HornKroening, WglStopsWithinItsBudgetAndSaysHowFarItCame) {
  // Eight increments at once and a get that none of their orders explains.
  std::string text;
  for (int i = 0; i < 12; ++i)
    text += std::to_string(i) + " add(" + std::to_string(1 << i) + ") | ";
  for (int i = 0; i < 12; ++i) text += std::to_string(i) + ": nil | ";
  const Case c(text + "A get: -1", "counter");
  Budget little(0, resident_bytes() + (100 << 10), nullptr);
  const Answer answer = decide_wgl(c.problem, little);
  EXPECT_EQ(answer.verdict, Verdict::undecided);
  EXPECT_EQ(answer.reason, describe_stop(little));
  EXPECT_EQ(answer.covered, 12u);
  EXPECT_EQ(little.used(), 0u) << "what was charged is given back";
  EXPECT_LE(little.peak(), 110u << 10);

  EngineOptions lru;
  lru.lru_entries = 16;
  const Case small("A add(1) | B add(2) | C add(4) | A: nil | B: nil | C: nil | A get: -1",
                   "counter");
  EXPECT_EQ(decide_verified("wgl", small.problem, lru).verdict, Verdict::violation);
}

}  // namespace
}  // namespace plumb::test
