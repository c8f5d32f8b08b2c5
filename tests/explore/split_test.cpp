// SPDX-License-Identifier: MIT
// Searches that are divided: in the order of their parts, they run the same executions in the same
// order as one that is not, whoever runs which part, and whenever it is divided.
#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <list>
#include <random>
#include <string>
#include <utility>

#include "explore/memory.hpp"
#include "explore/program.hpp"

namespace plumb::explore::test {
namespace {

// An execution: its schedule, and what it shows. A pruned one shows nothing.
struct Shown {
  std::vector<std::uint8_t> schedule;
  bool is_pruned = false;
  Order order;
  bool operator==(const Shown&) const = default;
};

Shown run_one(const Program& program, FlatStrategy& strategy) {
  Shown shown;
  shown.is_pruned = !run(program, strategy, &shown.order);
  if (shown.is_pruned) shown.order = {};
  const auto schedule = strategy.schedule();
  shown.schedule.assign(schedule.begin(), schedule.end());
  return shown;
}

constexpr std::size_t kMostExecutions = 3'000;

// All of them; nothing if there are too many.
std::vector<Shown> run_alone(const Program& program, const Options& options) {
  Memory memory;
  const auto strategy = make(options, memory);
  std::vector<Shown> all;
  do all.push_back(run_one(program, *strategy));
  while (strategy->advance() && all.size() <= kMostExecutions);
  if (all.size() > kMostExecutions) all.clear();
  EXPECT_EQ(strategy->head().divergences, 0u);
  return all;
}

// Workers that take turns by chance, and what they have done, in the order of the parts. It is what
// session/team.cpp does with processes.
class TableTeam {
 public:
  TableTeam(const Program& program, std::size_t size, std::uint64_t seed)
      : program_(program), random_(seed), memories_(size), owners_(size) {}

  std::vector<Shown> run(const Options& options) {
    make(options, memories_[0]);
    Part& first = parts_.emplace_back();
    begin(first, 0);
    for (;;) {
      start_what_is_ready();
      std::vector<std::size_t> busy, free;
      for (std::size_t i = 0; i < owners_.size(); ++i)
        (owners_[i] != nullptr ? busy : free).push_back(i);
      if (busy.empty()) break;
      const std::size_t one = busy[random_() % busy.size()];
      if (!free.empty() && random_() % 2 == 0 && divide(one, free[0])) continue;
      const auto strategy = attach(memories_[one]);
      owners_[one]->shown.push_back(run_one(program_, *strategy));
      if (!strategy->advance()) finish(one);
    }
    std::vector<Shown> all;
    for (const Part& part : parts_) {
      EXPECT_TRUE(part.is_done);
      all.insert(all.end(), part.shown.begin(), part.shown.end());
    }
    return all;
  }

  std::uint64_t divisions = 0;

 private:
  struct Part {
    std::vector<Shown> shown;
    bool is_done = false, is_ready = false;
    Part* next = nullptr;  // that continues it
    bool was_given = false;
    std::vector<std::uint64_t> memory, given;
  };

  void begin(Part& part, std::size_t worker) {
    owners_[worker] = &part;
    part.is_ready = false;
  }

  bool divide(std::size_t from, std::size_t to) {
    const auto strategy = attach(memories_[from]);
    if (!strategy->split(memories_[to].bytes())) return false;
    ++divisions;
    Part& giver = *owners_[from];
    const auto at = std::ranges::find_if(parts_, [&](const Part& p) { return &p == &giver; });
    Part& given = *parts_.emplace(std::next(at));
    begin(given, to);
    if (!strategy->joins()) return true;
    Part& next = *parts_.emplace(std::next(at, 2));
    next.next = giver.next;
    next.was_given = giver.was_given;
    giver.next = given.next = &next;
    giver.was_given = false;
    given.was_given = true;
    return true;
  }

  void finish(std::size_t worker) {
    Part* part = std::exchange(owners_[worker], nullptr);
    const auto strategy = attach(memories_[worker]);
    const auto used = strategy->used();
    part->memory.resize((used.size() + 7) / 8);
    std::ranges::copy(used, std::as_writable_bytes(std::span(part->memory)).begin());
    for (bool is_done = true; is_done; part = part->next) {
      part->is_done = true;
      if (part->next == nullptr) return;
      Part& next = *part->next;
      (part->was_given ? next.given : next.memory) = part->memory;
      if (next.memory.empty() || next.given.empty()) return;
      is_done = !join(next);
    }
  }

  bool join(Part& part) {
    part.memory.resize(part.memory.size() + part.given.size());
    std::string error;
    const auto strategy = explore::attach(std::as_writable_bytes(std::span(part.memory)), error);
    const bool is_more = strategy->join(std::as_bytes(std::span(part.given)));
    part.memory.resize((strategy->used().size() + 7) / 8);
    part.is_ready = is_more;
    return is_more;
  }

  void start_what_is_ready() {
    for (Part& part : parts_) {
      const auto free = std::ranges::find(owners_, nullptr);
      if (!part.is_ready || free == owners_.end()) continue;
      const auto worker = static_cast<std::size_t>(free - owners_.begin());
      load(std::as_bytes(std::span(part.memory)), memories_[worker].bytes());
      begin(part, worker);
    }
  }

  const Program& program_;
  std::mt19937_64 random_;
  std::vector<Memory> memories_;
  std::vector<Part*> owners_;  // by worker
  std::list<Part> parts_;      // in order
};

struct Way {
  const char* name;
  Options options;
};

std::vector<Way> ways() {
  std::vector<Way> all(4);
  all[0].name = "depth first";
  all[1].name = "two preemptions";
  all[1].options.dfs.first_bound = all[1].options.dfs.last_bound = 2;
  all[2].name = "partial-order reduction";
  all[2].options.kind = Kind::dpor;
  all[3].name = "conflicts only";
  all[3].options.kind = Kind::dpor;
  all[3].options.dpor.memory_only = true;
  for (Way& way : all) way.options.dfs.depth = way.options.dpor.depth = 1000;
  return all;
}

// What teams of several sizes run otherwise than one worker; empty: nothing.
std::string difference(const Program& program, std::uint64_t seed, const Way& way,
                       std::uint64_t& divisions, std::uint64_t& compared) {
  const std::vector<Shown> alone = run_alone(program, way.options);
  if (alone.empty()) return {};
  ++compared;
  for (const std::size_t size : {1, 2, 3, 5}) {
    TableTeam team(program, size, seed + size);
    const std::vector<Shown> together = team.run(way.options);
    if (together != alone)
      return std::to_string(size) + " workers run " + std::to_string(together.size()) +
             " executions, one runs " + std::to_string(alone.size()) + ", or others; seed " +
             std::to_string(seed) + "\n" + describe(program);
    divisions += team.divisions;
  }
  return {};
}

// The same of many programs; also if too few of them say something.
std::string difference(Program (*make_program)(std::uint64_t), std::uint64_t usual,
                       const Way& way) {
  std::uint64_t divisions = 0, compared = 0;
  Draws draws(1);
  draws.until("compared", compared, programs(usual));
  draws.until("divisions", divisions, 20 * programs(usual));
  for (const std::uint64_t i : draws) {
    const std::string found =
        difference(make_program(seed_of(i)), seed_of(i), way, divisions, compared);
    if (!found.empty()) return found;
  }
  std::cout << way.name << ": " << compared << " programs, " << divisions << " divisions\n";
  return draws.lacks();
}

TEST(Split, PartsAreTheSearchOfRandomPrograms) {
  for (const Way& way : ways()) EXPECT_EQ(difference(random_program, 60, way), "") << way.name;
}

TEST(Split, PartsAreTheSearchOfThreadsThatWait) {
  for (const Way& way : ways())
    EXPECT_EQ(difference(random_waiting_program, 60, way), "") << way.name;
}

TEST(Split, RandomSchedulesAreTheSameInParts) {
  const Program program = treiber(3);
  for (const Kind kind : {Kind::random, Kind::pct, Kind::pos}) {
    SCOPED_TRACE(static_cast<int>(kind));
    Options options;
    options.kind = kind;
    options.random.runs = 2'900;
    const std::vector<Shown> alone = run_alone(program, options);
    ASSERT_EQ(alone.size(), 2'900u);
    for (const std::size_t size : {2, 3, 5}) {
      TableTeam team(program, size, size);
      EXPECT_TRUE(team.run(options) == alone) << size;
      EXPECT_GE(team.divisions, 1u);
    }
  }
}

}  // namespace
}  // namespace plumb::explore::test
