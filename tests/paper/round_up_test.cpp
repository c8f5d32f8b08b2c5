// SPDX-License-Identifier: MIT
// Zhang, Chattopadhyay & Wang, "Round-Up: Runtime Verification of Quasi Linearizability for
// Concurrent Data Structures": the paper's own examples, by figure.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <map>
#include <numeric>
#include <set>

#include "check/property/quasi/k_automaton.hpp"
#include "check/property/quasi/permutations.hpp"
#include "check/property/quasi/permuting.hpp"
#include "plumb/check.hpp"
#include "support/history_text.hpp"

namespace plumb::test {
namespace {

using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;

using Sequence = std::vector<std::uint32_t>;

// Of n events and one factor; events are numbered from 1, as the paper's are.
std::vector<Sequence> permutations(std::size_t n, std::uint32_t k) {
  std::vector<Sequence> all;
  quasi::QuasiPermutations permutations(Sequence(n, k));
  while (permutations.next()) {
    Sequence order = permutations.order();
    for (std::uint32_t& event : order) ++event;
    all.push_back(std::move(order));
  }
  return all;
}

Verdict quasi_verdict(std::string_view text, Relaxation relaxation, std::vector<QuasiSet> sets,
                      const std::string& object = "queue") {
  const History history = parse_history(text, object);
  const Result<QuasiReport> report =
      check_quasi(history, {.sets = std::move(sets), .relaxation = relaxation});
  if (!report.ok()) throw std::logic_error(report.error().to_string());
  return report->check.verdict;
}
Verdict quasi_verdict(std::string_view text, Relaxation relaxation, std::int64_t k) {
  return quasi_verdict(text, relaxation, {{{"deq"}, k}});
}

// 1, 2, ... n are enqueued one after the other, then dequeued in this order.
std::string drained(const std::vector<int>& order) {
  std::string text;
  for (std::size_t i = 1; i <= order.size(); ++i)
    text += (text.empty() ? "" : " | ") + ("A enq(" + std::to_string(i) + "): nil");
  for (const int v : order) text += " | A deq: " + std::to_string(v);
  return text;
}

// ---- Section II

// Figure 1: enq(3) of thread 2 overlaps enq(4) and deq() of thread 3.
std::string figure_1(const std::vector<int>& results) {
  std::string text = "A enq(1): nil | A enq(2): nil | B enq(3) | C enq(4): nil | C deq: " +
                     std::to_string(results[0]) + " | B: nil";
  for (std::size_t i = 1; i < results.size(); ++i)
    text += " | A deq: " + std::to_string(results[i]);
  return text;
}

TEST(RoundUp, Figure1And2OnlyTheValuesOfTheLegalSequentialHistoriesAreLinearizable) {
  std::vector<int> values = {1, 2, 3, 4};
  std::vector<std::vector<int>> linearizable;
  do {
    const History history = parse_history(figure_1(values), "queue");
    if (plumb::check(history)->verdict == Verdict::holds) linearizable.push_back(values);
  } while (std::next_permutation(values.begin(), values.end()));
  // The three sequential histories: enq(3) before enq(4), between it and deq(), after deq().
  EXPECT_THAT(linearizable, UnorderedElementsAre(ElementsAre(1, 2, 3, 4), ElementsAre(1, 2, 4, 3)));
}

TEST(RoundUp, Figure1ValuesThatAreNotLinearizableAreQuasiLinearizableByTwo) {
  for (const Relaxation relaxation : {Relaxation::strict, Relaxation::slot}) {
    EXPECT_EQ(quasi_verdict(figure_1({3, 2, 1, 4}), relaxation, 0), Verdict::violation);
    EXPECT_EQ(quasi_verdict(figure_1({3, 2, 1, 4}), relaxation, 1), Verdict::violation);
    EXPECT_EQ(quasi_verdict(figure_1({3, 2, 1, 4}), relaxation, 2), Verdict::holds);
  }
}

TEST(RoundUp, Figure3SegmentsOfTwoAreOneQuasiAndOneOfFourIsLinearizable) {
  for (const Relaxation relaxation :
       {Relaxation::strict, Relaxation::distance, Relaxation::lateness, Relaxation::slot}) {
    for (const auto& order : {std::vector{1, 2, 3, 4}, {2, 1, 3, 4}, {1, 2, 4, 3}, {2, 1, 4, 3}}) {
      EXPECT_EQ(quasi_verdict(drained(order), relaxation, 1), Verdict::holds);
      EXPECT_EQ(quasi_verdict(drained(order), relaxation, 0) == Verdict::holds,
                std::is_sorted(order.begin(), order.end()));
    }
  }
}

TEST(RoundUp, Figure4WithoutTheVirtualWindowTheHeadIsOvertakenForEver) {
  const std::string second_each_time = drained({2, 3, 4, 5, 6, 1});
  EXPECT_EQ(quasi_verdict(second_each_time, Relaxation::distance, 1), Verdict::holds);
  for (const Relaxation relaxation : {Relaxation::strict, Relaxation::lateness, Relaxation::slot}) {
    EXPECT_EQ(quasi_verdict(second_each_time, relaxation, 1), Verdict::violation);
    EXPECT_EQ(quasi_verdict(second_each_time, relaxation, 4), Verdict::violation);
    EXPECT_EQ(quasi_verdict(second_each_time, relaxation, 5), Verdict::holds);
  }
}

// ---- Section IV

// Lines 13-23 as printed: a history is a sequence of (call or return, operation).
struct PrintedEvent {
  int operation;
  bool is_return;
  auto operator<=>(const PrintedEvent&) const = default;
};
using PrintedHistory = std::vector<PrintedEvent>;

void sequentialize_as_printed(const PrintedHistory& h, std::set<std::vector<int>>& all) {
  for (std::size_t i = 0; i + 1 < h.size(); i += 2) {
    if (h[i + 1].is_return) continue;  // h[0..i+1] is sequential
    const int one = h[i].operation, two = h[i + 1].operation;
    for (const int first : {one, two}) {
      PrintedHistory next(h.begin(), h.begin() + static_cast<std::ptrdiff_t>(i));
      next.push_back({first, false});
      next.push_back({first, true});
      for (std::size_t j = i; j < h.size(); ++j)
        if (h[j].operation != first) next.push_back(h[j]);
      sequentialize_as_printed(next, all);
    }
    return;
  }
  std::vector<int> order;
  for (std::size_t i = 0; i < h.size(); i += 2) order.push_back(h[i].operation);
  all.insert(order);
}

std::set<std::vector<int>> sequentializations_as_printed(const Problem& problem) {
  PrintedHistory h;
  for (const Event e : problem.events)
    h.push_back({static_cast<int>(e.operation()), e.is_return()});
  std::set<std::vector<int>> all;
  sequentialize_as_printed(h, all);
  return all;
}

// How many our Algorithm 1 makes: all of them, since the history is a violation.
std::uint64_t sequentializations_of_ours(const Problem& problem) {
  Budget budget;
  const quasi::Factors none = quasi::bind({}, *problem.specification);
  const Answer answer =
      quasi::decide_roundup_literal(problem, quasi::Relaxation::slot, none, budget);
  EXPECT_EQ(answer.verdict, Verdict::violation);
  return answer.stats.configurations;
}

TEST(RoundUp, Figure6TwoThreadsHaveTheSequentializationsOfThePrintedRewriting) {
  // Thread 2's call spans two calls of thread 1, or starts inside one.
  for (const char* text :
       {"A enq(1) | B enq(2) | A: nil | A deq: 9 | B: nil",
        "A enq(1) | B enq(2) | A: nil | A enq(3) | B: nil | B deq: 9 | A: nil"}) {
    const Case c(text, "queue");
    EXPECT_EQ(sequentializations_of_ours(c.problem),
              sequentializations_as_printed(c.problem).size());
  }
  const Case spanning("A enq(1) | B enq(2) | A: nil | A deq: 9 | B: nil", "queue");
  EXPECT_THAT(
      sequentializations_as_printed(spanning.problem),
      UnorderedElementsAre(ElementsAre(0, 1, 2), ElementsAre(1, 0, 2), ElementsAre(0, 2, 1)));
}

TEST(RoundUp, Figure6TheRewritingMissesOrdersOfThreeOverlappingCallsAndOursDoesNot) {
  const Case c("A enq(1) | B enq(2) | C deq | A: nil | B: nil | C: 9", "queue");
  EXPECT_EQ(sequentializations_as_printed(c.problem).size(), 4u);
  EXPECT_EQ(sequentializations_of_ours(c.problem), 6u);
}

// ---- Section V-A

TEST(RoundUp, Histories0To5SatisfyTheRestrictionsThatTheTableSays) {
  struct Row {
    std::vector<int> order;
    bool restriction_1, restriction_2;
  };
  for (const Row& row : {Row{{1, 2, 3}, true, true},     // History 0
                         Row{{2, 1, 3}, true, true},     // ...
                         Row{{1, 3, 2}, true, true},     //
                         Row{{3, 1, 2}, false, true},    //
                         Row{{2, 3, 1}, true, false},    //
                         Row{{3, 2, 1}, false, false}})  // History 5
  {
    const std::string text = drained(row.order);
    const auto holds = [&](Relaxation relaxation) {
      return quasi_verdict(text, relaxation, 1) == Verdict::holds;
    };
    EXPECT_EQ(holds(Relaxation::distance), row.restriction_1) << text;
    EXPECT_EQ(holds(Relaxation::lateness), row.restriction_2) << text;
    EXPECT_EQ(holds(Relaxation::strict), row.restriction_1 && row.restriction_2) << text;
    EXPECT_EQ(holds(Relaxation::slot), row.restriction_1 && row.restriction_2) << text;
  }
}

TEST(RoundUp, Figure7ThreeRunsInThePrintedOrder) {
  EXPECT_THAT(permutations(3, 1),
              ElementsAre(ElementsAre(1, 2, 3), ElementsAre(1, 3, 2), ElementsAre(2, 1, 3)));
}

// By place: the events that are executed there by some permutation.
std::vector<std::set<std::uint32_t>> executed(std::size_t n, std::uint32_t k) {
  std::vector<std::set<std::uint32_t>> at(n);
  for (const Sequence& order : permutations(n, k))
    for (std::size_t i = 0; i < n; ++i) at[i].insert(order[i]);
  return at;
}

TEST(RoundUp, Example1And2EventsAreEnabledFromKStepsAheadOfTheirOwnState) {
  const auto at = executed(3, 1);
  EXPECT_THAT(at[0], ElementsAre(1, 2));
  EXPECT_THAT(at[1], ElementsAre(1, 2, 3));
  EXPECT_THAT(at[2], ElementsAre(2, 3));
}

TEST(RoundUp, Example3AnEventIsExecutedInTheStatesFromKBeforeToKAfterItsOwn) {
  const auto at = executed(7, 2);
  for (std::uint32_t event = 1; event <= 7; ++event)
    for (std::uint32_t state = 1; state <= 7; ++state)
      EXPECT_EQ(at[state - 1].contains(event), state + 2 >= event && event + 2 >= state);
}

TEST(RoundUp, Example4AnEventThatIsAsLateAsItMayBeMustBeSelected) {
  std::vector<Sequence> begin_with_2;
  for (const Sequence& order : permutations(3, 1))
    if (order[0] == 2) begin_with_2.push_back(order);
  EXPECT_THAT(begin_with_2, ElementsAre(ElementsAre(2, 1, 3)));
}

// ---- Section V-C

TEST(RoundUp, Algorithm2MakesEachPermutationOfBoundedDisplacementOnce) {
  for (std::size_t n = 0; n <= 7; ++n)
    for (std::uint32_t k = 0; k <= 4; ++k) {
      std::set<Sequence> expected;
      Sequence order(n);
      std::iota(order.begin(), order.end(), 1u);
      do {
        bool near = true;
        for (std::size_t i = 0; i < n; ++i)
          near = near && std::abs(static_cast<int>(order[i]) - static_cast<int>(i + 1)) <=
                             static_cast<int>(k);
        if (near) expected.insert(order);
      } while (std::next_permutation(order.begin(), order.end()));
      const std::vector<Sequence> made = permutations(n, k);
      EXPECT_EQ(std::set<Sequence>(made.begin(), made.end()), expected);
      EXPECT_EQ(made.size(), expected.size()) << n << " events, factor " << k;
    }
}

TEST(RoundUp, Algorithm2WithAFactorForEachEventMakesWhatTheDefinitionSays) {
  const Sequence factor = {0, 2, 1, 0, 3, 1};
  std::set<Sequence> expected, made;
  Sequence order(factor.size());
  std::iota(order.begin(), order.end(), 0u);
  do {
    bool near = true;
    for (std::size_t i = 0; i < order.size(); ++i)
      near = near && std::abs(static_cast<int>(order[i]) - static_cast<int>(i)) <=
                         static_cast<int>(factor[order[i]]);
    if (near) expected.insert(order);
  } while (std::next_permutation(order.begin(), order.end()));
  quasi::QuasiPermutations permutations(factor);
  while (permutations.next()) EXPECT_TRUE(made.insert(permutations.order()).second);
  EXPECT_EQ(made, expected);
  EXPECT_GT(made.size(), 1u);
}

// What Tables III and V count is twice these, for each sequentialization.
TEST(RoundUp, Table3SlotEnumeratesAsManyPermutationsAsTheToolCounted) {
  const std::map<std::pair<std::size_t, std::uint32_t>, std::uint64_t> counted = {
      {{4, 2}, 14}, {{4, 3}, 24}, {{5, 2}, 31}, {{6, 2}, 73}, {{7, 2}, 172}};
  for (const auto& [size, count] : counted) {
    const auto [n, k] = size;
    EXPECT_EQ(permutations(n, k).size(), count);
    // All of them by the engine, since no one explains a value that nobody enqueued.
    std::string text;
    for (std::size_t i = 1; i <= n; ++i)
      text += (i > 1 ? " | A deq: " : "A deq: ") + std::to_string(i);
    const Case c(text, "queue");
    for (const bool dedup : {false, true}) {
      Budget budget;
      const Answer answer = quasi::decide_roundup_literal(
          c.problem, quasi::Relaxation::slot, quasi::bind({{{"deq"}, k}}, *c.problem.specification),
          budget, dedup);
      EXPECT_EQ(answer.verdict, Verdict::violation);
      EXPECT_EQ(answer.stats.steps, count) << n << " operations, factor " << k;
    }
  }
}

// Tables II and III count all of them, also of histories that hold.
TEST(RoundUp, Table3AllPermutationsOfAllSequentializationsCanBeCounted) {
  // Each deq overlaps one of the other thread.
  const Case c(
      "A enq(1): nil | A enq(2): nil | A enq(3): nil | A enq(4): nil | A deq | B deq | A: 1 | B: 2 "
      "| A deq | B deq | A: 3 | B: 4",
      "queue");
  const quasi::Factors factors = quasi::bind({{{"deq"}, 2}}, *c.problem.specification);
  for (const bool dedup : {false, true}) {
    Budget budget;
    const Answer first =
        quasi::decide_roundup_literal(c.problem, quasi::Relaxation::slot, factors, budget, dedup);
    EXPECT_EQ(first.verdict, Verdict::holds);
    EXPECT_EQ(first.stats.steps, 1u);
    const Answer all = quasi::decide_roundup_literal(c.problem, quasi::Relaxation::slot, factors,
                                                     budget, dedup, true);
    EXPECT_EQ(all.verdict, Verdict::holds);
    EXPECT_EQ(all.witnesses, first.witnesses);
    EXPECT_EQ(all.stats.configurations, 4u);  // both orders of the first two, and of the others
    EXPECT_EQ(all.stats.steps, 4u * 14);
  }
}

// ---- Section V-D

TEST(RoundUp, OutOfThinAirOnlyDrainedHistoriesAreJudgedRightByPermutations) {
  const std::string history_3 = "A enq(3): nil | A enq(4): nil | B enq(5): nil | B deq: 4";
  // Though it is 1-quasi.
  EXPECT_EQ(quasi_verdict(history_3, Relaxation::slot, 1), Verdict::violation);
  EXPECT_EQ(quasi_verdict(history_3, Relaxation::strict, 1), Verdict::holds);
  const std::string well_formed = history_3 + " | A deq: 3 | A deq: 5";
  EXPECT_EQ(quasi_verdict(well_formed, Relaxation::slot, 1), Verdict::holds);
  EXPECT_EQ(quasi_verdict(well_formed, Relaxation::strict, 1), Verdict::holds);
}

// ---- The lemma that replaces permutations by an automaton.

TEST(RoundUp, DisplacementIsAtMostKIffNoneIsFartherFromTheHeadNorOvertakenMoreOften) {
  const Specification& queue = *find_specification("queue");
  std::uint64_t cases = 0;
  for (std::size_t n = 1; n <= 8; ++n) {
    std::vector<Value> values;
    for (std::size_t i = 0; i < n; ++i) values.push_back(Value::integer(static_cast<int>(i)));
    const Value all = Value::list(values);
    for (std::uint32_t k = 0; k <= 4; ++k) {
      const quasi::Factors factors = quasi::bind({{{"deq"}, k}}, queue);
      const auto strict = make_k_automaton(queue, quasi::Relaxation::strict, factors);
      const auto distance = make_k_automaton(queue, quasi::Relaxation::distance, factors);
      const auto lateness = make_k_automaton(queue, quasi::Relaxation::lateness, factors);
      std::vector<int> order(n);
      std::iota(order.begin(), order.end(), 0);
      do {
        int early = 0, late = 0;
        for (int i = 0; i < static_cast<int>(n); ++i) {
          early = std::max(early, order[static_cast<std::size_t>(i)] - i);
          late = std::max(late, i - order[static_cast<std::size_t>(i)]);
        }
        const auto allows = [&](const Specification& specification) {
          const auto replay = specification.replay(all);
          return std::all_of(order.begin(), order.end(), [&](int v) {
            return replay->apply({*queue.find("deq"), {}, Value::integer(v), true});
          });
        };
        ASSERT_EQ(allows(*distance), early <= static_cast<int>(k));
        ASSERT_EQ(allows(*lateness), late <= static_cast<int>(k));
        ASSERT_EQ(allows(*strict), std::max(early, late) <= static_cast<int>(k));
        ++cases;
      } while (std::next_permutation(order.begin(), order.end()));
    }
  }
  EXPECT_EQ(cases, 5u * (1 + 2 + 6 + 24 + 120 + 720 + 5040 + 40320));
}

}  // namespace
}  // namespace plumb::test
