// SPDX-License-Identifier: MIT
// A process is killed at any point of any execution; another one attaches to what it left, and runs
// that execution again. The search goes on as if nothing had happened.
#include <gtest/gtest.h>

#include <algorithm>

#include "explore/memory.hpp"
#include "explore/program.hpp"
#include "explore/schedule.hpp"

namespace plumb::explore::test {
namespace {

struct Killed {};

// Passes on what it is asked, and is killed after the answer to the last of so many questions.
class Mortal final : public Strategy {
 public:
  Mortal(Strategy& strategy, int questions) : strategy_(strategy), left_(questions) {}

  int choose(const Point& point) override {
    const int action = strategy_.choose(point);
    count();
    return action;
  }
  int choose_value(int values, int cost) override {
    const int value = strategy_.choose_value(values, cost);
    count();
    return value;
  }
  void taken(const Step& step) override {
    strategy_.taken(step);
    count();
  }
  void ended(std::uint32_t waiting, std::span<const Step> next) override {
    strategy_.ended(waiting, next);
    count();
  }
  bool advance() override { return strategy_.advance(); }
  std::span<const std::uint8_t> schedule() const override { return strategy_.schedule(); }

 private:
  void count() {
    if (left_-- == 0) throw Killed{};
  }
  Strategy& strategy_;
  int left_;
};

// All that is still to come, in order.
std::vector<std::string> rest_of(const Program& program, FlatStrategy& strategy) {
  std::vector<std::string> runs;
  do {
    const bool done = run(program, strategy);
    runs.push_back((done ? "" : "pruned ") + to_text(strategy.schedule()));
  } while (strategy.advance());
  return runs;
}

std::vector<std::uint64_t> counts(const FlatStrategy& strategy) {
  const StateHead& head = strategy.head();
  return {head.executions, head.pruned, head.given_up, head.overflows, head.divergences};
}

// How often it was killed.
std::uint64_t kill_everywhere(const Program& program, const Options& options) {
  Memory memory(1 << 16), begun(1 << 16), killed(1 << 16);
  auto strategy = make(options, memory);
  const auto whole = rest_of(program, *strategy);
  const auto total = counts(*strategy);
  EXPECT_FALSE(strategy->rewind());
  strategy = make(options, memory);
  std::uint64_t kills = 0;
  for (std::size_t i = 0; i < whole.size(); ++i) {
    for (int questions = 0;; ++questions) {
      begun.load(strategy->used());
      const auto mortal = attach(begun);
      try {
        Mortal wrapped(*mortal, questions);
        run(program, wrapped);
        break;
      } catch (Killed) { ++kills; }
      killed.load(mortal->used());
      const auto next = attach(killed);
      EXPECT_TRUE(next->rewind());
      EXPECT_TRUE(next->ready());
      EXPECT_EQ(rest_of(program, *next),
                std::vector(whole.begin() + static_cast<long>(i), whole.end()))
          << "execution " << i << ", question " << questions << "\n"
          << describe(program);
      EXPECT_EQ(counts(*next), total);
      if (testing::Test::HasFailure()) return kills;
    }
    run(program, *strategy);
    strategy->advance();
  }
  return kills;
}

Options options_of(Kind kind) {
  Options options;
  options.kind = kind;
  options.dfs.depth = options.dpor.depth = 200;
  options.random.runs = 5;
  return options;
}

// Returns: what went wrong, or was not seen often enough; empty: nothing.
std::string kill_small_programs(Options options, std::size_t few, std::uint64_t most,
                                std::uint64_t enough_kills) {
  most = std::min<std::uint64_t>(most, 1000);  // each is run as often as it has points
  std::uint64_t compared = 0, kills = 0;
  Draws draws(1);
  draws.until("programs", compared, most).until("kills", kills, enough_kills);
  for (const std::uint64_t i : draws) {
    const std::uint64_t seed = seed_of(i);
    const Program program = i % 2 ? random_waiting_program(seed) : random_program(seed);
    const auto all = enumerate(program, few);
    if (all.size() >= few || all.size() < 2) continue;
    ++compared;
    if (options.kind == Kind::replay) options.schedule = all[i % all.size()].schedule;
    kills += kill_everywhere(program, options);
    if (testing::Test::HasFailure()) return "seed " + std::to_string(seed);
  }
  return draws.lacks();
}

TEST(Rewind, Dfs) {
  EXPECT_EQ(kill_small_programs(options_of(Kind::dfs), 12, programs(20), 100), "");
  Options bounded = options_of(Kind::dfs);
  bounded.dfs.first_bound = 0;
  bounded.dfs.last_bound = 3;
  EXPECT_EQ(kill_small_programs(bounded, 12, programs(20), 100), "");
}

TEST(Rewind, Dpor) {
  EXPECT_EQ(kill_small_programs(options_of(Kind::dpor), 60, programs(60), 1000), "");
}

TEST(Rewind, Random) {
  for (const Kind kind : {Kind::random, Kind::pct, Kind::pos}) {
    Options options = options_of(kind);
    EXPECT_EQ(kill_small_programs(options, 100, programs(10), 100), "");
    options.random.first = 3;  // PCT then measures run 0 first
    EXPECT_EQ(kill_small_programs(options, 100, programs(10), 100), "");
  }
}

TEST(Rewind, Replay) {
  EXPECT_EQ(kill_small_programs(options_of(Kind::replay), 100, programs(30), 100), "");
}

std::uint64_t overflows(const Program& program, const Options& options) {
  Memory memory(1 << 16);
  const auto strategy = make(options, memory);
  rest_of(program, *strategy);
  return strategy->head().overflows;
}

// What does not fit is counted once.
TEST(Rewind, AfterAnOverflow) {
  for (const Kind kind : {Kind::dfs, Kind::dpor}) {
    Options options = options_of(kind);
    options.dfs.depth = options.dpor.depth = 5;
    EXPECT_GT(overflows(treiber(2), options), 0u);
    EXPECT_GT(kill_everywhere(treiber(2), options), 0u);
  }
  Program many;
  many.variables = {0};
  many.threads = {{{{Code::store, 0, 0}, {Code::choose, 1, 300, 0}, {Code::returns, 0}}}};
  for (const Kind kind : {Kind::random, Kind::pct, Kind::pos}) {
    EXPECT_GT(overflows(many, options_of(kind)), 0u);
    EXPECT_GT(kill_everywhere(many, options_of(kind)), 0u);
  }
}

}  // namespace
}  // namespace plumb::explore::test
