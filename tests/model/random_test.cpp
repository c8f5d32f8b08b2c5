// SPDX-License-Identifier: MIT
// Random objects against an oracle that runs every interleaving of plain steps, and asks the
// checker of recorded histories about every history that cannot go on, stuck or not; clients make
// a bounded number of calls and the code has no loops, so these are finitely many.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>

#include "every_history.hpp"
#include "how_many.hpp"
#include "model/code/sequential.hpp"
#include "plumb/check.hpp"
#include "random_models.hpp"
#include "refine/verify.hpp"
#include "switches.hpp"

namespace plumb::refine {
namespace {

bool every_history_is_linearizable(const model::Program& program) {
  const std::unique_ptr<Specification> specification = make_specification(program);
  CheckOptions options;
  options.specification = specification.get();
  options.engine = "brute";
  options.partition = false;
  options.minimise = false;
  options.jobs = 1;
  return every_history_holds(program, options);
}

TEST(Random, TheProductAgreesWithCheckingEveryHistory) {
  const std::uint64_t count = how_many(200);
  std::uint64_t holds = 0, violations = 0, stuck = 0;
  Draws draws(count);
  draws.until("that hold", holds, count / 10 + 1).until("violations", violations);
  // Rare; a short run is for mistakes in memory.
  if (count >= 200) draws.until("stuck", stuck);
  for (const std::uint64_t i : draws) {
    std::mt19937 random = source_of(i);
    const std::string text = random_model(random);
    const model::Compiled compiled = model::compile(text);
    ASSERT_TRUE(compiled.program) << to_string(compiled.diagnostic, "random", text);
    const bool expected = every_history_is_linearizable(*compiled.program);
    ++(expected ? holds : violations);
    for (const int mask : combinations()) {
      VerifyOptions options;
      options.reductions = switched(mask);
      const auto report = verify(*compiled.program, text, options);
      ASSERT_TRUE(report.ok()) << report.error().to_string() << "\n" << text;
      ASSERT_EQ(report->found.verdict, expected ? Verdict::holds : Verdict::violation)
          << "seed " << seed_of(i) << ", reductions " << mask << "\n"
          << text;
      stuck += mask == 0 && report->found.kind == Found::stuck;
    }
  }
  EXPECT_EQ(draws.lacks(), "");
}

// No oracle here: the histories are infinitely many. But the reductions must agree, and verify()
// confirms every violation by itself.
TEST(Random, AllReductionsAgreeOnLoopingClients) {
  const std::uint64_t count = how_many(100, 1000);
  std::uint64_t holds = 0, violations = 0;
  Draws draws(count);
  draws.until("that hold", holds, count / 20 + 1).until("violations", violations, count / 20 + 1);
  for (const std::uint64_t i : draws) {
    std::mt19937 random = source_of(i);
    const std::string text = random_model(random, true);
    const model::Compiled compiled = model::compile(text);
    ASSERT_TRUE(compiled.program) << to_string(compiled.diagnostic, "random", text);
    std::optional<Verdict> first;
    for (const int mask : combinations()) {
      VerifyOptions options;
      options.reductions = switched(mask);
      options.timeout_seconds = mask == 0 ? 600 : 0.05;
      const auto report = verify(*compiled.program, text, options);
      ASSERT_TRUE(report.ok()) << report.error().to_string() << "\n" << text;
      const Verdict verdict = report->found.verdict;
      if (!first) first = verdict;
      ASSERT_NE(*first, Verdict::undecided) << text;
      if (verdict != Verdict::undecided) {
        ASSERT_EQ(verdict, *first) << "seed " << seed_of(i) << ", reductions " << mask << "\n"
                                   << text;
      }
    }
    holds += *first == Verdict::holds;
    violations += *first == Verdict::violation;
  }
  EXPECT_EQ(draws.lacks(), "");
}

}  // namespace
}  // namespace plumb::refine
