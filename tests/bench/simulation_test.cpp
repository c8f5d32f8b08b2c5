// SPDX-License-Identifier: MIT
#include "../../bench/simulated_history.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "plumb/check.hpp"

namespace plumb {
namespace {

using bench::SimulatedOperation;
using bench::Simulation;

struct Case {
  const char* kind;
  unsigned clients;
  std::size_t operations;
  bool subtle = false;
};

Verdict verdict_of(const Simulation& simulation) {
  const Result<CheckReport> report = check(bench::to_history(simulation), {.minimise = false});
  return report ? report->verdict : Verdict::undecided;
}

class Simulations : public testing::TestWithParam<Case> {};

TEST_P(Simulations, HoldAndAreViolationsOnceSpoiled) {
  const Case c = GetParam();
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    SCOPED_TRACE(seed);
    Simulation simulation = simulate(*bench::find_kind(c.kind), c.clients, c.operations, seed);
    EXPECT_EQ(simulation.operations.size(), c.operations);
    EXPECT_EQ(verdict_of(simulation), Verdict::holds);
    ASSERT_TRUE(spoil(simulation, c.subtle, seed));
    EXPECT_EQ(verdict_of(simulation), Verdict::violation);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, Simulations,
    testing::Values(Case{"reg", 5, 500}, Case{"reg", 5, 500, true}, Case{"regu", 5, 500},
                    Case{"reglow", 50, 500}, Case{"reglow", 50, 500, true},
                    Case{"regulow", 50, 500}, Case{"set", 4, 500}, Case{"queue", 3, 80},
                    Case{"stack", 3, 80}, Case{"pqueue", 3, 80}, Case{"crash", 5, 500},
                    Case{"swmr", 5, 500}, Case{"swmr", 5, 500, true}),
    [](const auto& info) {
      return std::string(info.param.kind) + (info.param.subtle ? "_subtle" : "");
    });

TEST(Simulation, IsTheSameForTheSameSeed) {
  const auto digest = [](std::uint64_t seed) {
    std::vector<std::uint32_t> all;
    for (const SimulatedOperation& op : simulate(*bench::find_kind("reg"), 5, 300, seed).operations)
      all.insert(all.end(), {op.process, op.call, op.ret, static_cast<std::uint32_t>(op.first)});
    return all;
  };
  EXPECT_EQ(digest(1), digest(1));
  EXPECT_NE(digest(1), digest(2));
}

TEST(Simulation, OfALowKindHasFewOperationsPending) {
  const Simulation simulation = simulate(*bench::find_kind("reglow"), 50, 20000, 1);
  double pending = 0;  // the average over events is the sum of the lengths by their number
  for (const SimulatedOperation& op : simulation.operations) pending += op.ret - op.call;
  EXPECT_NEAR(pending / simulation.events, 4.9, 0.5);
}

}  // namespace
}  // namespace plumb
