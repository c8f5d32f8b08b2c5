// SPDX-License-Identifier: MIT
// DPOR against the enumeration of all executions: the same maximal histories, the same deadlocks,
// no trace twice.
#include "explore/dpor.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>

#include "explore/memory.hpp"
#include "explore/program.hpp"
#include "explore/schedule.hpp"

namespace plumb::explore::test {
namespace {

constexpr std::size_t kTooManyForDpor = 4'000;

Options dpor(bool memory_only = false) {
  Options options;
  options.kind = Kind::dpor;
  options.dpor = {.memory_only = memory_only, .depth = 1000};
  return options;
}

Totals explore(const Program& program, const Options& options) {
  Memory memory;
  const auto strategy = make(options, memory);
  Totals totals = run_all(program, *strategy);
  EXPECT_EQ(strategy->head().executions, totals.executions);
  EXPECT_EQ(strategy->head().pruned, totals.pruned);
  EXPECT_FALSE(strategy->overflow());
  EXPECT_EQ(strategy->head().divergences, 0u);
  return totals;
}

std::set<Order> orders_of(const std::vector<Execution>& executions) {
  std::set<Order> orders;
  for (const Execution& execution : executions) orders.insert(execution.order);
  return orders;
}

// The Mazurkiewicz trace of an execution, by the letter: thread by thread, what each step chose,
// and which steps of each thread happen before it.
std::string trace_of(std::span<const std::uint8_t> schedule, const std::vector<Step>& steps) {
  std::vector<std::string> threads(kMaxThreads + 1);
  std::vector<std::vector<int>> clocks;
  std::vector<int> taken(kMaxThreads);
  std::size_t at = 0;
  while (at < schedule.size() && schedule[at] >= kValue)
    threads[kMaxThreads] += char(schedule[at++]);
  for (const Step& step : steps) {
    std::vector<int> clock(kMaxThreads);
    for (std::size_t i = 0; i < clocks.size(); ++i)
      if (steps[i].thread == step.thread || dependent(steps[i], step))
        for (int t = 0; t < kMaxThreads; ++t) clock[t] = std::max(clock[t], clocks[i][t]);
    clock[step.thread] = ++taken[step.thread];
    std::string& text = threads[step.thread];
    do text += static_cast<char>(schedule[at++]);
    while (at < schedule.size() && schedule[at] >= kValue);
    for (const int count : clock) text += static_cast<char>(count);
    clocks.push_back(std::move(clock));
  }
  std::string all;
  for (const std::string& text : threads) all += std::to_string(text.size()) + ' ' + text;
  return all;
}

// A thread that sleeps knows only what any of its alternatives could do, so where there are some a
// trace may be seen twice.
bool has_alternatives(const Program& program) {
  for (const auto& thread : program.threads)
    for (const Operation& operation : thread)
      for (const Instruction& instruction : operation) switch (instruction.code) {
          case Code::choose:
          case Code::signal:
          case Code::futex_wake:
          case Code::timed_lock:
          case Code::timed_wait:
          case Code::timed_share:
          case Code::timed_exclude:
          case Code::timed_sleep:
          case Code::timed_join:
          case Code::timed_futex_wait: return true;
          default: break;
        }
  return false;
}

bool any_stuck(const std::set<Order>& orders) {
  for (const Order& order : orders)
    if (order.stuck()) return true;
  return false;
}

TEST(Dependent, IsConflictOrReturnAndCall) {
  const auto step = [](std::uint64_t address, std::uint32_t size, Touch touch) {
    Step made;
    made.count = 1;
    made.accesses[0] = {address, size, touch};
    return made;
  };
  const Step read = step(100, 8, Touch::read), write = step(104, 8, Touch::write);
  EXPECT_FALSE(dependent(read, read));
  EXPECT_TRUE(dependent(read, write));
  EXPECT_TRUE(dependent(write, read));
  EXPECT_FALSE(dependent(read, step(108, 4, Touch::write)));
  EXPECT_FALSE(dependent(step(96, 4, Touch::write), read));
  EXPECT_TRUE(dependent(step(96, 5, Touch::write), read));
  EXPECT_TRUE(dependent(step(8, 8, Touch::acquire), step(8, 8, Touch::acquire)));
  EXPECT_TRUE(dependent(step(8, 8, Touch::release), step(8, 8, Touch::acquire)));
  Step call = step(8, 8, Touch::read), end = step(16, 8, Touch::read), all, nothing;
  call.calls = end.returns = all.everything = true;
  EXPECT_TRUE(dependent(call, end));
  EXPECT_TRUE(dependent(end, call));
  EXPECT_FALSE(dependent(call, call));
  EXPECT_FALSE(dependent(end, end));
  EXPECT_TRUE(dependent(all, nothing));
  EXPECT_FALSE(dependent(nothing, write));
  Step two = read;
  two.accesses[two.count++] = {1000, 1, Touch::write};
  EXPECT_TRUE(dependent(two, step(1000, 1, Touch::read)));
}

TEST(Dpor, LosesNoMaximalHistoryOfRandomPrograms) {
  std::uint64_t compared = 0, all_executions = 0, executions = 0, pruned = 0, stuck = 0, lossy = 0;
  Draws draws(1);
  draws.until("compared", compared, programs(200));
  draws.until("that can get stuck", stuck, programs(200) / 20 + 1);
  draws.until("of which conflicts alone lose histories", lossy, programs(200) / 20 + 1);
  for (const std::uint64_t i : draws) {
    const std::uint64_t seed = seed_of(i);
    const Program program = random_program(seed);
    const auto all = enumerate(program, kTooManyForDpor);
    if (all.size() >= kTooManyForDpor) continue;
    ++compared;
    const auto expected = orders_of(all);
    const Totals totals = explore(program, dpor());
    ASSERT_TRUE(maximal(totals.orders) == maximal(expected)) << "seed " << seed << "\n"
                                                             << describe(program);
    // And all others of glued steps too, as it is.
    ASSERT_TRUE(totals.orders == expected) << "seed " << seed << "\n" << describe(program);
    ASSERT_EQ(any_stuck(totals.orders), any_stuck(expected));
    ASSERT_LE(totals.executions, all.size()) << "seed " << seed << "\n" << describe(program);
    all_executions += all.size();
    executions += totals.executions;
    pruned += totals.pruned;
    stuck += any_stuck(expected);
    lossy += maximal(explore(program, dpor(true)).orders) != maximal(expected);
  }
  std::cout << compared << " programs, " << all_executions << " executions; DPOR " << executions
            << " and " << pruned << " pruned; " << stuck
            << " can get stuck; conflicts alone lose histories of " << lossy << "\n";
  EXPECT_EQ(draws.lacks(), "");
}

// Compares everything: traces, histories, and so deadlocks.
struct Compared {
  std::uint64_t programs = 0, enumerated = 0, traces = 0, executions = 0, pruned = 0, stuck = 0;
};
void compare(const Program& program, std::size_t most, Compared& sum) {
  const auto all = enumerate(program, most);
  if (all.size() >= most) return;
  std::set<std::string> expected;
  for (const Execution& execution : all)
    expected.insert(trace_of(execution.schedule, execution.steps));
  Memory memory;
  const auto strategy = make(dpor(), memory);
  std::set<std::string> seen;
  std::set<Order> orders;
  std::uint64_t executions = 0;
  do {
    std::vector<Step> steps;
    Order order;
    if (!run(program, *strategy, &order, &steps)) continue;
    ++executions;
    orders.insert(std::move(order));
    const auto schedule = strategy->schedule();
    const bool fresh = seen.insert(trace_of(schedule, steps)).second;
    ASSERT_TRUE(fresh || has_alternatives(program)) << "twice: " << to_text(schedule) << "\n"
                                                    << describe(program);
  } while (strategy->advance());
  ASSERT_FALSE(strategy->overflow());
  ASSERT_EQ(strategy->head().divergences, 0u);
  ASSERT_TRUE(seen == expected) << seen.size() << " of " << expected.size() << "\n"
                                << describe(program);
  const auto expected_orders = orders_of(all);
  ASSERT_TRUE(maximal(orders) == maximal(expected_orders)) << describe(program);
  ASSERT_EQ(any_stuck(orders), any_stuck(expected_orders)) << describe(program);
  ASSERT_LE(executions, all.size()) << describe(program);
  ++sum.programs;
  sum.enumerated += all.size();
  sum.traces += expected.size();
  sum.executions += executions;
  sum.pruned += strategy->head().pruned;
  sum.stuck += any_stuck(expected_orders);
}

TEST(Dpor, EveryTraceOnce) {
  Compared sum;
  for (std::uint64_t i = 0; sum.programs < programs(150); ++i) {
    compare(random_program(seed_of(i)), 1000, sum);
    ASSERT_FALSE(HasFatalFailure()) << "seed " << seed_of(i);
  }
}

TEST(Dpor, EveryTraceOfThreadsThatWait) {
  Compared sum;
  const std::size_t most = programs(0) > 1000 ? 3000 : 600;
  Draws draws(1);
  draws.until("programs", sum.programs, programs(250));
  draws.until("that can get stuck", sum.stuck, programs(250) / 4 + 1);
  for (const std::uint64_t i : draws) {
    compare(random_waiting_program(seed_of(i)), most, sum);
    ASSERT_FALSE(HasFatalFailure()) << "seed " << seed_of(i);
  }
  std::cout << sum.programs << " programs, " << sum.enumerated << " executions, " << sum.traces
            << " traces; DPOR " << sum.executions << " and " << sum.pruned << " pruned; "
            << sum.stuck << " can get stuck\n";
  EXPECT_EQ(draws.lacks(), "");
}

// Programs of which something was lost once.
struct Lost {
  const char* why;
  std::uint64_t seed;
  Program (*make)(std::uint64_t) = random_waiting_program;
};
void PrintTo(const Lost& lost, std::ostream* out) { *out << lost.why; }
class LostOnce : public testing::TestWithParam<Lost> {};

TEST_P(LostOnce, IsSeen) {
  Compared sum;
  compare(GetParam().make(GetParam().seed), 100'000, sum);
  EXPECT_EQ(sum.programs, 1u);
}

INSTANTIATE_TEST_SUITE_P(
    Dpor, LostOnce,
    testing::Values(
        Lost{"WaitAtTheEndHiddenByATimeout", 1415, random_program},
        Lost{"CompareAndSwapThatWouldHaveSucceeded", 5696, random_program},
        Lost{"WaitsForALockWherePruned", 23714, random_program},
        Lost{"TimedWaitAsleep", 73251, random_program},
        // A lock that was tried, got and given back hid who wanted to lock it before.
        Lost{"TriedLock", 303},
        // Who waits forever had its race hidden by a return that came after, as if it had called.
        Lost{"WaitsForeverBeforeItsCall", 890},
        // The signal was not ordered before the step of the thread that it woke.
        Lost{"SignalWithoutTheMutex", 500},
        // A broadcast is not ordered before the step of a thread that another one had woken.
        Lost{"BroadcastAfterTheSignal", 5100},
        // A wait that got its lock might have run out of time, had it come before the unlock.
        Lost{"TimeoutBeforeTheUnlock", 919},
        // A step that would have returned before its race was asleep there, but had to wait for a
        // call that came later.
        Lost{"LateRaceOfATriedLock", 106413}, Lost{"LateRaceWithAJoin", 110937},
        Lost{"LateRaceAmongThreeLocks", 118183}),
    [](const auto& lost) { return std::string(lost.param.why); });

TEST(Dpor, TreiberStack) {
  const auto expected = orders_of(enumerate(treiber(2), 10'000));
  EXPECT_EQ(expected.size(), 32u);
  const Totals totals = explore(treiber(2), dpor());
  EXPECT_EQ(totals.orders, expected);
  EXPECT_LE(totals.executions, 150u);
  std::cout << totals.executions << " executions, " << totals.pruned << " pruned\n";
  // Every operation hits the head, so conflicts are enough here.
  const Totals conflicts = explore(treiber(2), dpor(true));
  EXPECT_EQ(conflicts.orders, expected);
  EXPECT_EQ(conflicts.executions, 40u);
}

TEST(Dpor, DisjointRegistersLoseHistoriesByConflictsAlone) {
  const Program program = registers(2, 2);
  const auto expected = orders_of(enumerate(program, 10'000));
  EXPECT_EQ(expected.size(), 6u);
  EXPECT_EQ(explore(program, dpor()).orders, expected);
  const Totals conflicts = explore(program, dpor(true));
  EXPECT_EQ(conflicts.executions, 1u);
  EXPECT_NE(maximal(conflicts.orders), maximal(expected));
}

// Without operations that return before others are called: one execution where nothing conflicts.
TEST(Dpor, OneExecutionATrace) {
  EXPECT_EQ(explore(independent(2, 5), dpor(true)).executions, 1u);
  EXPECT_EQ(explore(independent(4, 5), dpor(true)).executions, 1u);
  Program writers;  // n writers of one variable: n! traces
  writers.variables = {0};
  for (int t = 0; t < 4; ++t)
    writers.threads.push_back({{{Code::store, 0, 0}, {Code::returns, 0}}});
  EXPECT_EQ(explore(writers, dpor(true)).executions, 24u);
  Program locks;
  for (int t = 0; t < 3; ++t)
    locks.threads.push_back({{{Code::lock, 0}, {Code::unlock, 0}, {Code::returns, 0}}});
  EXPECT_EQ(explore(locks, dpor(true)).executions, 6u);
  EXPECT_EQ(explore(locks, dpor(true)).pruned, 0u);
}

TEST(Dpor, LockOrderDeadlock) {
  Program program;
  program.threads = {{{{Code::lock, 0},
                       {Code::lock, 1},
                       {Code::unlock, 1},
                       {Code::unlock, 0},
                       {Code::returns, 0}}},
                     {{{Code::lock, 1},
                       {Code::lock, 0},
                       {Code::unlock, 0},
                       {Code::unlock, 1},
                       {Code::returns, 0}}}};
  EXPECT_TRUE(any_stuck(explore(program, dpor()).orders));
}

TEST(Dpor, GoesOnAfterACrashAndFromACheckpoint) {
  const Program program = treiber(3);
  const Totals whole = [&] {
    Memory memory;
    const auto strategy = make(dpor(), memory);
    return run_all(program, *strategy, 20'000);
  }();
  auto memory = std::make_unique<Memory>();
  auto strategy = make(dpor(), *memory);
  Totals parts;
  std::uint64_t runs = 0;
  do {
    if (++runs % 50 == 0) {
      auto elsewhere = std::make_unique<Memory>(1 << 19);
      elsewhere->load(strategy->used());
      memory = std::move(elsewhere);
      strategy = attach(*memory);
      ASSERT_TRUE(strategy->ready());
    }
    Order order;
    const bool complete = run(program, *strategy, &order);
    parts.executions += complete;
    if (complete) parts.orders.insert(order);
    if (runs % 77 == 0) strategy = attach(*memory);
  } while (parts.executions < 20'000 && strategy->advance());
  EXPECT_EQ(parts.executions, whole.executions);
  EXPECT_EQ(parts.orders, whole.orders);

  // A crash in the last step of an execution: the search goes on as if it had been taken.
  const Program small = treiber(2);
  Memory other;
  strategy = make(dpor(), other);
  std::set<Order> orders;
  std::uint64_t crashes = 0;
  do {
    Machine machine(small, {});
    Order order;
    bool pruned = false;
    int action = 0;
    const bool crashes_now =
        strategy->head().executions % 3 == 2 && strategy->head().given_up == crashes;
    while (const std::uint64_t enabled = machine.enabled()) {
      action = strategy->choose({machine.current(), enabled, machine.next()});
      if ((pruned = action == kPrune)) break;
      const Step step = machine.take(action, {});
      if (machine.enabled() == 0 && crashes_now) break;
      strategy->taken(step);
    }
    if (pruned) continue;
    orders.insert(machine.order());
    if (!crashes_now) {
      strategy->ended(machine.waiting(), machine.next());
    } else {
      ++crashes;
      strategy = attach(other);
    }
  } while (strategy->advance());
  EXPECT_GT(crashes, 5u);
  EXPECT_EQ(orders, orders_of(enumerate(small, 10'000)));
}

TEST(Dpor, AProgramThatChangesDiverges) {
  Memory memory;
  const auto strategy = make(dpor(), memory);
  EXPECT_TRUE(run(treiber(2), *strategy));
  EXPECT_TRUE(strategy->advance());
  Program other = treiber(2);
  other.threads[0][0].insert(other.threads[0][0].begin(), {Code::add, 3, 1});
  run(other, *strategy);
  EXPECT_EQ(strategy->divergence().what, Divergence::step);
  EXPECT_EQ(strategy->divergence().position, 2u);
  EXPECT_NE(strategy->divergence().recorded, strategy->divergence().seen);
}

TEST(Dpor, WhatDoesNotFitIsSaid) {
  Options options = dpor();
  options.dpor.depth = 9;
  Memory memory;
  auto strategy = make(options, memory);
  run_all(treiber(2), *strategy);
  EXPECT_TRUE(strategy->overflow());
  Memory small(5000);
  strategy = make(dpor(), small);
  run_all(treiber(2), *strategy);
  EXPECT_TRUE(strategy->overflow());
}

}  // namespace
}  // namespace plumb::explore::test
