// SPDX-License-Identifier: MIT
// Strategies that draw: run i of seed s is always the same, and bugs are found as often as the
// papers say. Seeds are fixed, and margins wide.
#include "explore/random.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "explore/memory.hpp"
#include "explore/program.hpp"
#include "explore/schedule.hpp"

namespace plumb::explore::test {
namespace {

constexpr Kind kDrawing[] = {Kind::random, Kind::pct, Kind::pos};

Options drawing(Kind kind, std::uint64_t seed, std::uint64_t runs) {
  Options options;
  options.kind = kind;
  options.random.seed = seed;
  options.random.runs = runs;
  return options;
}

// Thread 0 takes `before` steps on its own, then reads a variable twice; thread 1 takes as many
// steps, then writes it. The bug is to come between the reads: depth 2.
Program two_reads(int before) {
  Program program;
  program.variables = {0, 0, 0};
  Operation reads(static_cast<std::size_t>(before), {Code::store, 1, 0});
  reads.insert(reads.end(), {{Code::load, 0, 0},
                             {Code::load, 1, 0},
                             {Code::set, 2, 1},
                             {Code::jump_if, 0, 1, before + 7},
                             {Code::jump_if, 1, 0, before + 7},
                             {Code::returns, 2},
                             {Code::returns, 2},
                             {Code::returns, 3}});
  Operation writes(static_cast<std::size_t>(before), {Code::store, 2, 0});
  writes.insert(writes.end(), {{Code::set, 1, 1}, {Code::store, 0, 1}, {Code::returns, 0}});
  program.threads = {{reads}, {writes}};
  return program;
}

double rate(const Program& program, const Options& options, int result) {
  Memory memory(1 << 16);
  const auto strategy = make(options, memory);
  std::uint64_t found = 0, runs = 0;
  do {
    Order order;
    run(program, *strategy, &order);
    ++runs;
    found += order.results[0] == result;
  } while (strategy->advance());
  EXPECT_EQ(strategy->head().executions, runs);
  return static_cast<double>(found) / static_cast<double>(runs);
}

TEST(Random, RunIOfASeedIsAlwaysTheSame) {
  const Program program = treiber(3);
  for (const Kind kind : kDrawing) {
    Memory memory(1 << 16), other(1 << 16);
    std::vector<std::string> runs;
    auto strategy = make(drawing(kind, 7, 50), memory);
    do {
      run(program, *strategy);
      runs.push_back(to_text(strategy->schedule()));
    } while (strategy->advance());
    ASSERT_EQ(runs.size(), 50u);
    EXPECT_GT(std::set<std::string>(runs.begin(), runs.end()).size(), 20u);
    for (std::uint64_t i : {0u, 1u, 17u, 49u}) {
      Options options = drawing(kind, 7, 1);
      options.random.first = i;
      strategy = make(options, other);
      do run(program, *strategy);
      while (static_cast<Random&>(*strategy).random().measures && strategy->advance());
      EXPECT_EQ(to_text(strategy->schedule()), runs[i]);
      EXPECT_FALSE(strategy->advance());
    }
    // From a checkpoint, elsewhere; and another seed.
    strategy = make(drawing(kind, 7, 50), memory);
    for (int i = 0; i < 20; ++i) run(program, *strategy), strategy->advance();
    other.load(strategy->used());
    strategy = attach(other);
    EXPECT_TRUE(strategy->ready());
    run(program, *strategy);
    EXPECT_EQ(to_text(strategy->schedule()), runs[20]);
    strategy = make(drawing(kind, 8, 50), memory);
    std::vector<std::string> others;
    do {
      run(program, *strategy);
      others.push_back(to_text(strategy->schedule()));
    } while (strategy->advance());
    EXPECT_NE(others, runs);
  }
}

TEST(Random, UniformIsUniform) {
  Memory memory(1 << 16);
  const auto strategy = make(drawing(Kind::random, 3, 20'000), memory);
  std::map<std::string, int> seen;
  do {
    run(registers(3, 1), *strategy);
    ++seen[to_text(strategy->schedule())];
  } while (strategy->advance());
  ASSERT_EQ(seen.size(), 6u);
  for (const auto& [schedule, times] : seen) EXPECT_NEAR(times, 20'000 / 6, 300) << schedule;
}

TEST(Random, StayingSwitchesLess) {
  const auto switches = [](std::uint32_t stay) {
    Options options = drawing(Kind::random, 3, 1000);
    options.random.stay = stay;
    Memory memory(1 << 16);
    const auto strategy = make(options, memory);
    std::size_t items = 0;
    do {
      run(independent(2, 20), *strategy);
      for (const char c : to_text(strategy->schedule())) items += c == ',';
    } while (strategy->advance());
    return static_cast<double>(items) / 1000;
  };
  EXPECT_NEAR(switches(0), 18, 2);
  EXPECT_LT(switches(90), 4);
}

TEST(Pct, FindsABugOfDepthTwoAsOftenAsPromised) {
  const int before = 20, k = 2 * before + 3;
  Options options = drawing(Kind::pct, 5, 40'000);
  options.random.changes = 1;
  options.random.length = k;
  // Thread 0 has the higher priority, and loses it exactly before its second read.
  const double exact = 1.0 / (2 * k);
  EXPECT_NEAR(rate(two_reads(before), options, 1), exact, exact / 4);
  options.random.length = 0;  // measured: a fourth too long
  EXPECT_NEAR(rate(two_reads(before), options, 1), exact / 1.25, exact / 4);
  options.random.changes = 0;
  EXPECT_EQ(rate(two_reads(before), options, 1), 0);
}

TEST(Pct, AThreadThatGivesWayLetsOthersRun) {
  // Thread 0 spins, politely, until thread 1 writes.
  Program program;
  program.variables = {0};
  program.threads = {{{{Code::load, 0, 0},
                       {Code::jump_if, 0, 1, 4},
                       {Code::yield},
                       {Code::jump, 0},
                       {Code::returns, 0}}},
                     {{{Code::set, 1, 1}, {Code::store, 0, 1}, {Code::returns, 1}}}};
  for (const Kind kind : kDrawing) {
    Memory memory(1 << 16);
    const auto strategy = make(drawing(kind, 1, 500), memory);
    const Totals totals = run_all(program, *strategy);
    EXPECT_EQ(totals.executions, 500u);
    EXPECT_FALSE(strategy->overflow());
  }
}

// Thread 1 writes at once, thread 0 after eight steps on its own. That thread 0 writes first has
// probability 2^-9 by uniform draws. By POS, one event must have the lowest priority of ten.
TEST(Pos, DrawsOrdersOfRacingEventsNotStretches) {
  Program program;
  program.variables = {0, 0};
  Operation late(8, {Code::store, 1, 0});
  late.insert(late.end(), {{Code::set, 1, 1}, {Code::cas, 0, 0, 1, 2}, {Code::returns, 2}});
  program.threads = {{late}, {{{Code::set, 1, 2}, {Code::store, 0, 1}, {Code::returns, 1}}}};
  EXPECT_NEAR(rate(program, drawing(Kind::pos, 9, 20'000), 1), 0.1, 0.02);
  EXPECT_NEAR(rate(program, drawing(Kind::random, 9, 20'000), 1), 1.0 / 512, 0.0015);
}

// Orders of racing events should be alike: n writers of one variable.
TEST(Pos, RacingEventsAreDrawnAgain) {
  Program program;
  program.variables = {0};
  for (int t = 0; t < 2; ++t)
    program.threads.push_back(
        {{{Code::add, 0, 0}, {Code::add, 0, 0}, {Code::add, 0, 0}, {Code::returns, 0}}});
  Memory memory(1 << 16);
  const auto strategy = make(drawing(Kind::pos, 2, 20'000), memory);
  std::map<std::string, int> seen;
  do {
    run(program, *strategy);
    ++seen[to_text(strategy->schedule())];
  } while (strategy->advance());
  EXPECT_EQ(seen.size(), 20u);
  // With everything drawn again, each choice is even: 1/8 for the ends, 1/32 at least elsewhere.
  for (const auto& [schedule, times] : seen) EXPECT_GT(times, 20'000 / 40) << schedule;
}

}  // namespace
}  // namespace plumb::explore::test
