// SPDX-License-Identifier: MIT
// Order hints change how long a check takes, never what it says.
#include <gtest/gtest.h>

#include "check/property/linearizable/hints.hpp"
#include "oracle/oracle.hpp"
#include "plumb/check.hpp"

namespace plumb::test {
namespace {

class Hints : public testing::TestWithParam<const Specification*> {};

TEST_P(Hints, RightOrWrongTheVerdictIsTheDefinitions) {
  const Specification& specification = *GetParam();
  const RandomHistories source(specification);
  std::uint64_t followed = 0, refused = 0;
  Draws draws(histories() / 20);
  draws.until("that follow the hints", followed).until("that cannot", refused);
  for (const std::uint64_t i : draws) {
    History history = source.make(seed_of(specification, i) ^ 0x0a0a);
    Random random(i);
    // Half of the time, the order of an explanation, else anything.
    history.order.assign(history.size(), History::kNoOrder);
    const Problem problem = make_problem(history, specification);
    Budget budget;
    const Answer truth = decide_brute(problem, budget);
    std::vector<OperationId> claimed;
    if (!truth.witnesses.empty() && random.percent(50)) claimed = truth.witnesses.front();
    else
      for (OperationId op = 0; op < history.size(); ++op)
        claimed.insert(
            claimed.begin() + static_cast<std::ptrdiff_t>(random.below(claimed.size() + 1)), op);
    std::int64_t number = 0;
    for (const OperationId op : claimed)
      if (random.percent(80)) history.order[op] = number += static_cast<int>(random.below(3));
    const Result<CheckReport> report =
        check(history,
              {.specification = &specification, .initial = history.objects[0].initial, .jobs = 1});
    ASSERT_TRUE(report.ok()) << report.error().to_string() << "\n" << to_text(history);
    ASSERT_EQ(to_string(report->verdict), to_string(truth.verdict)) << to_text(history);
    if (report->verdict != Verdict::holds || report->partitions.empty()) continue;
    followed += report->partitions[0].why_engine == "it follows the order hints";
    refused += !report->scope_notes.empty();
  }
  EXPECT_EQ(draws.lacks(), "");
}

INSTANTIATE_TEST_SUITE_P(Every, Hints, testing::ValuesIn(all_specifications()),
                         [](const auto& info) { return test_name(*info.param); });

}  // namespace
}  // namespace plumb::test
