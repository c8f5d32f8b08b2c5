// SPDX-License-Identifier: MIT
// The whole way of a check against the definition: partitions, merged witnesses, counterexamples.
#include <gtest/gtest.h>

#include <iostream>

#include "oracle/oracle.hpp"
#include "plumb/check.hpp"

namespace plumb::test {
namespace {

class Evidence : public testing::TestWithParam<const Specification*> {};

TEST_P(Evidence, OfEveryVerdictStandsByTheDefinition) {
  const Specification& specification = *GetParam();
  const RandomHistories source(specification);
  const std::uint64_t n = histories() / 10;
  std::uint64_t violations = 0;
  Draws draws(n);
  draws.until("violations", violations, n / 20);
  for (const std::uint64_t i : draws) {
    const History history = source.make(seed_of(specification, i) + 2'000'000'011);
    const std::string text = to_text(history) + " number " + std::to_string(i);
    const Problem whole = make_problem(history, specification);
    const Verdict expected = definition(whole);
    const Result<CheckReport> report =
        check(history,
              {.specification = &specification, .initial = history.objects[0].initial, .jobs = 1});
    ASSERT_TRUE(report.ok()) << report.error().to_string() << "\n" << text;
    ASSERT_EQ(to_string(report->verdict), to_string(expected)) << text;

    if (report->verdict == Verdict::holds && !history.stuck) {
      Answer answer;
      answer.verdict = Verdict::holds;
      answer.witnesses.push_back(report->witness);
      ASSERT_EQ(verify_witness(whole, answer), "") << text;
    }
    if (report->verdict != Verdict::violation) continue;
    ++violations;
    ASSERT_TRUE(report->counterexample);
    const Counterexample& example = *report->counterexample;
    ASSERT_NE(example.confirmed_by, "");
    ASSERT_TRUE(
        std::binary_search(example.operations.begin(), example.operations.end(), example.culprit))
        << text;
    ASSERT_FALSE(example.why.empty()) << text;
    if (!example.left_state.empty()) continue;
    // What is shown is a violation, and so is everything with the rest weakened.
    std::vector<OperationId> rest;
    for (OperationId op = 0; op < whole.ops.size(); ++op)
      if (!std::binary_search(example.operations.begin(), example.operations.end(), op) &&
          !whole.ops[op].judged)
        rest.push_back(op);
    for (const auto& weakened : {std::vector<OperationId>{}, rest}) {
      Problem part = restrict(whole, example.operations, weakened);
      // That it is stuck counts where something is shown that never returns.
      part.stuck = std::any_of(part.ops.begin(), part.ops.end(),
                               [](const Problem::Op& op) { return op.judged; });
      ASSERT_EQ(definition(part), Verdict::violation)
          << text << "\n  shown " << testing::PrintToString(example.operations);
    }
  }
  EXPECT_EQ(draws.lacks(), "");
  std::cout << specification.name() << ": " << draws.drawn() << " histories, " << violations
            << " violations\n";
}

INSTANTIATE_TEST_SUITE_P(Every, Evidence, testing::ValuesIn(all_specifications()),
                         [](const auto& info) { return test_name(*info.param); });

}  // namespace
}  // namespace plumb::test
