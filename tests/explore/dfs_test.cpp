// SPDX-License-Identifier: MIT
// Depth-first search: every schedule once, with and without a bound, whole or in parts, after
// crashes and from checkpoints; and what it says of a program that does not repeat itself.
#include "explore/dfs.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <map>

#include "explore/memory.hpp"
#include "explore/program.hpp"
#include "explore/schedule.hpp"

namespace plumb::explore::test {
namespace {

constexpr std::size_t kTooMany = 2'000;

using Schedules = std::multiset<std::vector<std::uint8_t>>;

Options bounded(std::uint32_t first, std::uint32_t last) {
  Options options;
  options.dfs = {.first_bound = first, .last_bound = last, .depth = 1000};
  return options;
}
Options full() { return bounded(kUnbounded, kUnbounded); }

std::vector<std::uint8_t> now(const Strategy& strategy) {
  const auto schedule = strategy.schedule();
  return {schedule.begin(), schedule.end()};
}

Schedules search(const Program& program, Strategy& strategy) {
  Schedules seen;
  run_all(program, strategy, kTooMany, [&] { seen.insert(now(strategy)); });
  return seen;
}

Schedules with_at_most(const std::vector<Execution>& all, std::uint32_t bound) {
  Schedules result;
  for (const Execution& execution : all)
    if (static_cast<std::uint32_t>(execution.preemptions) <= bound)
      result.insert(execution.schedule);
  return result;
}

std::uint64_t count(const Program& program, const Options& options) {
  Memory memory;
  const auto strategy = make(options, memory);
  run_all(program, *strategy);
  return strategy->head().executions;
}

TEST(Dfs, CountsAreBinomial) {
  std::uint64_t expected = 1;  // (2n choose n)
  for (int n = 1; n <= 6; ++n) {
    expected = expected * 2 * (2 * n - 1) / n;
    EXPECT_EQ(count(independent(2, n), full()), expected) << n;
  }
  EXPECT_EQ(count(independent(3, 2), full()), 90u);    // 6! / 2!^3
  EXPECT_EQ(count(independent(3, 3), full()), 1680u);  // 9! / 3!^3
  EXPECT_EQ(count(independent(4, 2), full()), 2520u);  // 8! / 2!^4
}

TEST(Dfs, TreiberStackCountsAsElsewhere) {
  EXPECT_EQ(count(treiber(2), full()), 438u);
  EXPECT_EQ(count(treiber(2), bounded(1, 1)), 10u);
  EXPECT_EQ(count(treiber(2), bounded(2, 2)), 42u);
  EXPECT_EQ(count(treiber(2), bounded(3, 3)), 98u);
  EXPECT_EQ(count(treiber(3), bounded(2, 2)), 690u);
}

TEST(Dfs, IncreasingBoundsCountEachExecutionOnce) {
  Memory memory;
  const auto strategy = make(bounded(0, 3), memory);
  const auto& dfs = static_cast<const Dfs&>(*strategy);
  std::uint64_t fresh = 0, repeated = 0;
  run_all(treiber(2), *strategy, ~0ull, [&] { ++(dfs.repeated() ? repeated : fresh); });
  const auto& by = dfs.dfs().by_preemptions;
  EXPECT_EQ(by[0] + by[1], 10u);
  EXPECT_EQ(by[2], 32u);
  EXPECT_EQ(by[3], 56u);
  EXPECT_EQ(dfs.head().executions, 98u);
  EXPECT_EQ(fresh, 98u);
  EXPECT_EQ(dfs.dfs().repeated, repeated);
  EXPECT_EQ(repeated, by[0] + 10 + 42);
}

TEST(Dfs, IncreasingBoundsStopWhenNothingIsLeft) {
  Memory memory;
  const auto strategy = make(bounded(0, 1000), memory);
  run_all(treiber(2), *strategy);
  const auto& dfs = static_cast<const Dfs&>(*strategy);
  EXPECT_EQ(dfs.head().executions, 438u);
  EXPECT_LT(dfs.dfs().bound, 15u);
  EXPECT_LE(dfs.dfs().cut, dfs.dfs().bound);
}

TEST(Dfs, EveryScheduleOfRandomProgramsOnce) {
  std::uint64_t compared = 0;
  Draws draws(programs(100));
  draws.until("small enough to compare", compared, programs(100) / 2);
  for (const std::uint64_t i : draws) {
    const Program program = random_program(seed_of(i));
    const auto all = enumerate(program, kTooMany);
    if (all.size() >= kTooMany) continue;
    ++compared;
    Memory memory;
    const auto whole = make(full(), memory);
    ASSERT_EQ(search(program, *whole), with_at_most(all, kUnbounded)) << describe(program);
    for (std::uint32_t bound = 0; bound < 4; ++bound) {
      const auto strategy = make(bounded(bound, bound), memory);
      ASSERT_EQ(search(program, *strategy), with_at_most(all, bound)) << "bound " << bound << "\n"
                                                                      << describe(program);
    }
    const auto strategy = make(bounded(0, 3), memory);
    Schedules fresh;
    run_all(program, *strategy, ~0ull, [&] {
      if (!static_cast<const Dfs&>(*strategy).repeated()) fresh.insert(now(*strategy));
    });
    ASSERT_EQ(fresh, with_at_most(all, 3)) << describe(program);
    ASSERT_EQ(strategy->head().executions, fresh.size());
  }
  EXPECT_EQ(draws.lacks(), "");
}

// Workers that give each other parts whenever one has nothing to do.
Schedules search_by_team(const Program& program, const Options& options, std::size_t size,
                         std::uint32_t last_bound, std::uint64_t* counted) {
  std::deque<Memory> memories;
  std::vector<std::unique_ptr<Dfs>> team(size);
  for (std::size_t i = 0; i < size; ++i) memories.emplace_back(1 << 17);
  team[0] = std::make_unique<Dfs>(options.dfs, memories[0].bytes());
  Schedules seen;
  for (;;) {
    bool working = false;
    for (std::size_t i = 0; i < size; ++i) {
      if (!team[i] || !team[i]->ready()) {
        for (std::size_t giver = 0; giver < size && (!team[i] || !team[i]->ready()); ++giver)
          if (team[giver] && giver != i && team[giver]->ready() &&
              team[giver]->split(memories[i].bytes()))
            team[i] = std::make_unique<Dfs>(memories[i].bytes());
        if (!team[i] || !team[i]->ready()) continue;
      }
      working = true;
      const bool repeated = team[i]->repeated();
      run(program, *team[i]);
      if (!repeated) seen.insert(now(*team[i]));
      team[i]->advance();
    }
    if (working) continue;
    std::uint32_t bound = 0, cut = 0;
    for (const auto& worker : team)
      if (worker)
        bound = std::max(bound, worker->dfs().bound), cut = std::max(cut, worker->dfs().cut);
    if (cut <= bound || bound >= last_bound) break;
    team[0]->restart(bound + 1);
  }
  *counted = 0;
  for (const auto& worker : team) *counted += worker ? worker->head().executions : 0;
  return seen;
}

TEST(Dfs, PartsAreTheWhole) {
  for (std::uint64_t i = 0; i < programs(30); ++i) {
    const Program program = i == 0 ? treiber(2) : random_program(seed_of(i));
    const auto all = enumerate(program, 1000);
    if (all.size() >= 1000) continue;
    for (const std::size_t size : {2, 3, 7}) {
      std::uint64_t counted = 0;
      ASSERT_EQ(search_by_team(program, full(), size, kUnbounded, &counted),
                with_at_most(all, kUnbounded))
          << describe(program);
      ASSERT_EQ(counted, all.size());
      ASSERT_EQ(search_by_team(program, bounded(0, 2), size, 2, &counted), with_at_most(all, 2))
          << describe(program);
      ASSERT_EQ(counted, with_at_most(all, 2).size());
    }
  }
}

TEST(Dfs, GoesOnAfterACrash) {
  Memory memory;
  auto strategy = make(full(), memory);
  const Program program = treiber(2);
  Schedules seen;
  std::uint64_t crashes = 0;
  for (std::uint64_t i = 1;; ++i) {
    run(program, *strategy);
    seen.insert(now(*strategy));
    if (i % 7 == 0) strategy = attach(memory);  // another process, which finds it ended
    if (!strategy->advance()) break;
    if (i % 11 == 0) {  // the execution that is prepared crashes at its very end
      Machine machine(program, {});
      while (const std::uint64_t enabled = machine.enabled()) {
        const int action = strategy->choose({machine.current(), enabled, machine.next()});
        strategy->taken(machine.take(action, {}));
      }
      ++crashes;
      strategy = attach(memory);
      EXPECT_FALSE(strategy->ready());
      if (!strategy->advance()) break;
    }
  }
  EXPECT_EQ(strategy->head().given_up, crashes);
  EXPECT_EQ(strategy->head().executions, seen.size());
  EXPECT_EQ(seen.size() + crashes, 438u);
  for (const auto& schedule : seen) EXPECT_EQ(seen.count(schedule), 1u);
}

TEST(Dfs, ACheckpointResumesElsewhere) {
  auto memory = std::make_unique<Memory>();
  auto strategy = make(bounded(0, 3), *memory);
  std::uint64_t runs = 0;
  do {
    run(treiber(2), *strategy);
    if (++runs % 13 != 0) continue;
    if (!strategy->advance()) break;
    auto elsewhere = std::make_unique<Memory>(1 << 18);
    elsewhere->load(strategy->used());
    memory = std::move(elsewhere);
    strategy = attach(*memory);
    EXPECT_TRUE(strategy->ready());
    run(treiber(2), *strategy);
    ++runs;
  } while (strategy->advance());
  EXPECT_EQ(strategy->head().executions, 98u);
}

TEST(Dfs, WhatDoesNotFitIsSaid) {
  Options options = full();
  options.dfs.depth = 6;
  Memory memory;
  const auto few = make(options, memory);
  EXPECT_EQ(run_all(independent(2, 3), *few).executions, 20u);
  EXPECT_FALSE(few->overflow());
  const auto many = make(options, memory);
  run_all(independent(2, 4), *many);
  EXPECT_TRUE(many->overflow());
  EXPECT_EQ(many->head().executions, 0u);

  // Memory ends before the depth does.
  Memory small(Dfs::room(full().dfs, 5) / 8 * 8);
  const auto tight = make(full(), small);
  run_all(independent(2, 3), *tight);
  EXPECT_TRUE(tight->overflow());
}

TEST(Dfs, AProgramThatChangesDiverges) {
  const auto diverges = [](const Program& first, const Program& then) {
    Memory memory;
    const auto strategy = make(full(), memory);
    EXPECT_TRUE(run(first, *strategy));
    EXPECT_TRUE(strategy->advance());
    run(then, *strategy);
    const Divergence divergence = strategy->divergence();
    EXPECT_EQ(strategy->diverged(), divergence.what != Divergence::nothing);
    strategy->advance();
    EXPECT_EQ(strategy->head().divergences, divergence.what != Divergence::nothing);
    EXPECT_FALSE(strategy->diverged());
    return divergence;
  };
  EXPECT_EQ(diverges(independent(2, 3), independent(2, 3)).what, Divergence::nothing);

  // The last step of thread 1 was found to have no alternative, its first that thread 0 might come
  // first.
  Divergence divergence = diverges(independent(2, 3), independent(3, 3));
  EXPECT_EQ(divergence.what, Divergence::enabled);
  EXPECT_EQ(divergence.position, 0u);
  EXPECT_EQ(divergence.recorded, 3u);
  EXPECT_EQ(divergence.seen, 7u);

  // It ends too early.
  Program shorter = independent(2, 3);
  shorter.threads[1].clear();
  shorter.threads[0].push_back(shorter.threads[0][0]);
  Program longer = shorter;
  longer.threads[0].push_back(longer.threads[0][0]);
  longer.threads[0].push_back({{Code::store, 0, 0}, {Code::choose, 1, 2}, {Code::returns, 0}});
  divergence = diverges(longer, shorter);
  EXPECT_EQ(divergence.what, Divergence::early);
  EXPECT_EQ(divergence.recorded, 11u);
  EXPECT_EQ(divergence.seen, 6u);

  // A value where there was an action, and fewer values.
  Program choosing = independent(1, 1);
  choosing.threads[0][0] = {{Code::store, 0, 0},
                            {Code::choose, 1, 3},
                            {Code::store, 0, 0},
                            {Code::choose, 1, 3},
                            {Code::returns, 0}};
  Program other = choosing;
  other.threads[0][0][1].b = 2;
  divergence = diverges(choosing, other);
  EXPECT_EQ(divergence.what, Divergence::count);
  EXPECT_EQ(divergence.position, 1u);
  EXPECT_EQ(divergence.recorded, 3u);
  EXPECT_EQ(divergence.seen, 2u);
  other.threads[0][0][1] = {Code::set, 1, 0};
  EXPECT_EQ(diverges(choosing, other).what, Divergence::question);

  // The thread gave way.
  Program yielding = independent(2, 3);
  yielding.threads[0][0].insert(yielding.threads[0][0].begin() + 1, {Code::yield});
  divergence = diverges(independent(2, 3), yielding);
  EXPECT_EQ(divergence.what, Divergence::current);
  EXPECT_EQ(divergence.position, 1u);
}

TEST(Attach, KnowsWhatIsThere) {
  Memory memory;
  std::string error;
  EXPECT_FALSE(explore::attach(memory.bytes(), error));
  EXPECT_EQ(error, "there is no search in this memory");
  EXPECT_FALSE(explore::attach({}, error));
  make(full(), memory);
  EXPECT_TRUE(explore::attach(memory.bytes(), error));
  auto* head = reinterpret_cast<StateHead*>(memory.bytes().data());
  head->version = 77;
  EXPECT_FALSE(explore::attach(memory.bytes(), error));
  EXPECT_NE(error.find("version 77"), std::string::npos) << error;
  EXPECT_FALSE(explore::make(full(), memory.bytes().first(64), error));
  EXPECT_NE(error.find("needs"), std::string::npos) << error;
  EXPECT_FALSE(explore::make(full(), memory.bytes().subspan(1), error));
  EXPECT_NE(error.find("aligned"), std::string::npos) << error;
}

}  // namespace
}  // namespace plumb::explore::test
