// SPDX-License-Identifier: MIT
// What is concluded from a part of a history, or by counting, against the literal definition on the
// whole: prefixes and weakening, refutation by traffic, projections to some of the values.
#include <gtest/gtest.h>

#include <iostream>

#include "check/evidence/core.hpp"
#include "check/evidence/projection.hpp"
#include "oracle/oracle.hpp"
#include "spec/families.hpp"

namespace plumb::test {
namespace {

class PartsAgree : public testing::TestWithParam<const Specification*> {
 protected:
  // Calls visit(history, problem, verdict, random) for so many histories.
  template <class Visit>
  void for_each(Draws draws, Visit visit) {
    const Specification& specification = *GetParam();
    const RandomHistories source(specification);
    for (const std::uint64_t i : draws) {
      if (HasFatalFailure()) return;
      const std::uint64_t s = seed_of(specification, i) + 1'000'000'007;
      const History history = source.make(s);
      const Problem problem = make_problem(history, specification);
      SCOPED_TRACE(to_text(history) + "   seed " + std::to_string(s));
      Random random(s);
      visit(history, problem, definition(problem), random);
    }
    EXPECT_EQ(draws.lacks(), "");
    std::cout << specification.name() << ": " << draws.drawn() << " histories\n";
  }
};

TEST_P(PartsAgree, APrefixOrAWeakenedPartIsNeverWorseThanTheWhole) {
  const Draws draws(histories() / 4);
  for_each(draws, [](const History&, const Problem& p, Verdict whole, Random& random) {
    if (whole != Verdict::holds || p.ops.empty()) return;
    std::vector<OperationId> kept, weakened;
    // A judged operation that is weakened is not judged any more, and may take effect.
    for (OperationId op = 0; op < p.ops.size(); ++op)
      (p.ops[op].judged || random.percent(60) ? kept : weakened).push_back(op);
    const Problem weaker = restrict(p, kept, weakened);
    ASSERT_EQ(weaker.ops.size(), p.ops.size());
    ASSERT_EQ(definition(weaker), Verdict::holds);
    if (p.stuck) return;  // whether an operation blocks is a question about the end
    const auto cut = static_cast<std::uint32_t>(random.below(p.events.size()));
    ASSERT_EQ(definition(prefix(p, cut)), Verdict::holds) << "up to event " << cut;
  });
}

// What the minimiser asks about: optional operations with results, in every relation to others.
TEST_P(PartsAgree, EnginesDecideWeakenedPrefixesAsTheDefinitionDoes) {
  const Draws draws(histories() / 2);
  for_each(draws, [](const History&, const Problem& p, Verdict, Random& random) {
    if (p.ops.empty()) return;
    const Problem cut = prefix(p, static_cast<std::uint32_t>(random.below(p.events.size())));
    std::vector<OperationId> kept, weakened;
    for (OperationId op = 0; op < cut.ops.size(); ++op)
      (cut.ops[op].judged || random.percent(70) ? kept : weakened).push_back(op);
    const Problem part = restrict(cut, kept, weakened);
    const Verdict expected = definition(part);
    for (const unsigned bits : {0u, 1u, 2u, 3u, 14u, 15u}) {
      EngineOptions options;
      options.breadth_first = bits & 1;
      options.depth_first = !options.breadth_first;
      options.pure_labels = options.domination = bits & 2;
      options.deadline_first = bits & 4 || bits & 2;
      Budget budget;
      ASSERT_EQ(decide_jit(part, budget, options).verdict, expected) << "jit, setting " << bits;
    }
    Budget budget;
    ASSERT_EQ(decide_wgl(part, budget).verdict, expected) << "wgl";
  });
}

TEST_P(PartsAgree, WhatTrafficRefutesIsAViolationAndSoIsItsCore) {
  std::uint64_t refuted = 0;
  Draws draws(histories() / 4);
  if (GetParam()->initial_values({})) draws.until("refuted", refuted);
  for_each(draws, [&](const History&, const Problem& p, Verdict whole, Random&) {
    const Answer answer = refute_by_traffic(p);
    if (answer.verdict == Verdict::undecided) return;
    ++refuted;
    ASSERT_EQ(whole, Verdict::violation) << answer.reason;
    ASSERT_EQ(definition(prefix(p, answer.failing_event)), Verdict::violation);
    ASSERT_EQ(definition(restrict(p, answer.core)), Verdict::violation);
    std::vector<OperationId> others;
    for (OperationId op = 0; op < p.ops.size(); ++op)
      if (!std::binary_search(answer.core.begin(), answer.core.end(), op)) others.push_back(op);
    ASSERT_EQ(definition(restrict(p, answer.core, others)), Verdict::violation);
  });
}

// Projections of random histories: by values, with the methods that move them, or by keys.
class Projections {
 public:
  explicit Projections(const Specification& specification)
      : specification_(specification), source_(specification) {
    for (const Method& method : specification.methods()) {
      if (moves_values(specification.family(), method.role) || method.role == Role::counts)
        by_value_.push_back(method.name);
      moves_ = moves_ || moves_values(specification.family(), method.role);
      has_keys_ = has_keys_ || !method.key_args.empty() || !method.keys.empty();
    }
  }
  bool apply() const { return has_keys_ || moves_; }

  void check(std::uint64_t seed, std::uint64_t i) {
    const bool by_key = has_keys_ && (!moves_ || i % 2 == 1);
    RandomOptions options;
    if (!by_key) options.methods = by_value_;
    options.distinct = !by_key && i % 3 == 0;  // of those methods alone
    options.unrecorded = i % 4 == 1 ? 30 : 0;
    const History history = source_.make(seed, options);
    const Problem whole = make_problem(history, specification_);
    if (whole.ops.empty()) return;
    Random random(seed);
    std::vector<OperationId> few;
    std::vector<Needed> needed;
    for (OperationId op = 0; op < whole.ops.size(); ++op) {
      if (random.percent(35)) few.push_back(op);
      needed.push_back(random.percent(70)   ? Needed::outcome
                       : random.percent(70) ? Needed::nothing
                                            : Needed::call);
    }
    if (i % 4 < 2) std::fill(needed.begin(), needed.end(), Needed::outcome);
    if (by_key && random.percent(70)) few.clear();
    const auto culprit = static_cast<OperationId>(random.below(whole.ops.size()));
    const Projection projection(whole, few, culprit);
    const Forgetting forgetting(whole);
    for (const Problem& part :
         {forgetting.problem(needed), forgetting.short_problem(needed), whole}) {
      const auto projected = projection.of(part);
      if (!projected || definition(*projected) != Verdict::violation) continue;
      ++refuted;
      smaller += projected->ops.size() < part.ops.size();
      SCOPED_TRACE(to_text(history) + "   seed " + std::to_string(seed) + ", made for " +
                   testing::PrintToString(few) + ", else " + std::to_string(culprit));
      ASSERT_EQ(definition(part), Verdict::violation);
      ASSERT_EQ(definition(whole), Verdict::violation);
    }
  }

  std::uint64_t refuted = 0, smaller = 0;

 private:
  const Specification& specification_;
  const RandomHistories source_;
  std::vector<std::string> by_value_;  // methods: those, and what only counts
  bool moves_ = false, has_keys_ = false;
};

// Whatever is forgotten, and whatever the operations that the projection is made for: if what is
// left of their values or keys has no order, neither has what is left of all, nor the whole.
TEST_P(PartsAgree, AProjectionThatIsAViolationMakesOneOfTheWhole) {
  const Specification& specification = *GetParam();
  Projections projections(specification);
  if (!projections.apply()) GTEST_SKIP() << "no projection applies";
  Draws draws(histories() / 2);
  draws.until("violations", projections.refuted, histories() / 20);
  draws.until("violations without some operation", projections.smaller, histories() / 40);
  for (const std::uint64_t i : draws) {
    projections.check(seed_of(specification, i) + 3'000'000'019, i);
    if (HasFatalFailure()) return;
  }
  EXPECT_EQ(draws.lacks(), "");
  std::cout << specification.name() << ": " << draws.drawn() << " histories, "
            << projections.refuted << " projections refuted\n";
}

// Failures are printed so, and must be reproducible from what is printed.
TEST_P(PartsAgree, TheTextOfAHistoryParsesToTheSameHistory) {
  const Draws draws(histories() / 20);
  for_each(draws, [](const History& h, const Problem& p, Verdict whole, Random&) {
    const History again = parse_history(to_text(h), p.specification->name(), h.objects[0].initial);
    ASSERT_EQ(to_text(again), to_text(h));
    ASSERT_EQ(again.after, h.after);
    ASSERT_EQ(definition(make_problem(again, *p.specification)), whole);
  });
}

INSTANTIATE_TEST_SUITE_P(Every, PartsAgree, testing::ValuesIn(all_specifications()),
                         [](const auto& info) { return test_name(*info.param); });

}  // namespace
}  // namespace plumb::test
