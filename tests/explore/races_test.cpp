// SPDX-License-Identifier: MIT
// The index of steps finds the races of the definition (plain_races.hpp): random executions, of
// steps that need not make sense, give the same clocks and the same places to return to.
#include <gtest/gtest.h>

#include <cstring>
#include <iostream>

#include "explore/memory.hpp"
#include "explore/plain_races.hpp"

namespace plumb::explore::test {
namespace {

std::uint64_t mixed(std::uint64_t a, std::uint64_t b) {
  std::uint64_t h = (a ^ (b + 0x632be59bd9b4e019)) * 0x9e3779b97f4a7c15;
  h = (h ^ h >> 29) * 0xbf58476d1ce4e5b9;
  return h ^ h >> 32;
}

// Numbers that depend on the seed, and on what has been chosen so far.
class Numbers {
 public:
  explicit Numbers(std::uint64_t seed) : state_(seed) {}
  std::uint32_t below(std::uint32_t n) {
    state_ = mixed(state_, n);
    return static_cast<std::uint32_t>(state_ >> 16) % n;
  }
  bool one_in(std::uint32_t n) { return below(n) == 0; }

 private:
  std::uint64_t state_;
};

class RandomSteps {
 public:
  explicit RandomSteps(std::uint64_t seed) : seed_(seed) {
    Numbers numbers(seed);
    threads_ = 2 + numbers.below(numbers.one_in(10) ? 30 : 3);
    places_ = 1 + numbers.below(numbers.one_in(10) ? 2000 : numbers.one_in(3) ? 60 : 6);
    length_ = 2 + numbers.below(numbers.one_in(20) ? 150 : 30);
    locks_ = numbers.one_in(2);
    writes_ = 2 + numbers.below(4);
    index_from_ = numbers.one_in(3) ? numbers.below(length_ + 1) : 0;
  }

  std::uint32_t threads() const { return threads_; }
  std::uint32_t length() const { return length_; }
  std::uint32_t index_from() const { return index_from_; }

  Numbers at(std::span<const std::uint8_t> schedule) const {
    std::uint64_t state = seed_;
    for (const std::uint8_t byte : schedule) state = mixed(state, byte);
    return Numbers(state);
  }

  Access access(Numbers& numbers) const {
    static constexpr std::uint32_t kSizes[] = {8, 8, 8, 8, 4, 4, 1, 2, 16, 0, 40, 200};
    Access made;
    made.address = 4096 + 4 * std::uint64_t{numbers.below(places_)} + numbers.below(8) / 7;
    made.size = kSizes[numbers.below(numbers.one_in(8) ? 12 : 6)];
    if (numbers.one_in(writes_)) made.touch = Touch::write;
    if (locks_ && numbers.one_in(3))
      made.touch = numbers.one_in(2) ? Touch::acquire : Touch::release;
    return made;
  }

  Step step(Numbers& numbers, std::uint32_t thread) const {
    Step made;
    made.thread = static_cast<std::uint8_t>(thread);
    made.calls = numbers.one_in(6);
    made.blocks = locks_ && numbers.one_in(12);
    if (!numbers.one_in(20)) made.accesses[made.count++] = access(numbers);
    return made;
  }

  // What becomes of one that was foreseen.
  Step taken(Numbers& numbers, Step step) const {
    step.returns = numbers.one_in(6);
    step.everything = numbers.one_in(50);
    if (step.count == 1 && numbers.one_in(4)) step.accesses[0].touch = Touch::read;
    if (step.count == 1 && numbers.one_in(6)) step.accesses[step.count++] = access(numbers);
    return step;
  }

 private:
  std::uint64_t seed_;
  std::uint32_t threads_, places_, length_, writes_, index_from_;
  bool locks_;
};

struct Seen {
  std::uint64_t executions = 0, steps = 0, late = 0, reversed = 0;
};

class Comparison {
 public:
  Comparison(const RandomSteps& random, bool memory_only, Memory& memory, Memory& copy)
      : random_(random), copy_(copy) {
    Options options;
    options.kind = Kind::dpor;
    options.dpor = {.memory_only = memory_only, .depth = 200, .index_from = random.index_from()};
    strategy_ = make(options, memory);
  }

  // False: they differ.
  bool run(int executions, Seen& seen) {
    do {
      ++seen.executions;
      if (!run_once(seen)) return false;
    } while (--executions > 0 && strategy_->advance());
    return true;
  }

 private:
  Dpor& dpor() { return static_cast<Dpor&>(*strategy_); }

  template <class Does, class Plainly>
  bool both(Seen& seen, Does does, Plainly plainly) {
    const auto used = strategy_->used();
    std::memcpy(copy_.bytes().data(), used.data(), used.size());
    Dpor copy(copy_.bytes());
    does();
    PlainRaces plain(copy);
    plainly(plain);
    seen.late += static_cast<std::uint64_t>(plain.late());
    seen.reversed += static_cast<std::uint64_t>(plain.reversed());
    const bool same = plain.is_as(dpor());
    if (!same)
      ADD_FAILURE() << plain.describe() << "is expected, but it is\n"
                    << PlainRaces(dpor()).describe();
    return same;
  }

  void choose_values() {
    while (random_.at(strategy_->schedule()).one_in(20)) strategy_->choose_value(2, 0);
  }

  bool run_once(Seen& seen) {
    std::vector<Step> next(random_.threads());
    choose_values();
    for (std::uint32_t i = 0; i < random_.length(); ++i) {
      Numbers numbers = random_.at(strategy_->schedule());
      const std::uint32_t all = (std::uint32_t{2} << (random_.threads() - 1)) - 1;
      for (std::uint32_t t = 0; t < random_.threads(); ++t) next[t] = random_.step(numbers, t);
      std::uint64_t enabled = numbers.one_in(4) ? all & (numbers.below(all) + 1) : all;
      if (numbers.one_in(20)) enabled |= std::uint64_t{1} << kTimeout;
      const int current = static_cast<int>(numbers.below(random_.threads() + 1)) - 1;
      const int action = strategy_->choose({current, enabled, next});
      if (action == kPrune) return true;
      choose_values();
      const Step step = random_.taken(numbers, next[static_cast<std::size_t>(action % kTimeout)]);
      ++seen.steps;
      if (!PlainRaces::is_new(dpor())) {
        strategy_->taken(step);
      } else if (!both(
                     seen, [&] { strategy_->taken(step); },
                     [&](PlainRaces& plain) { plain.taken(dpor()); })) {
        return false;
      }
    }
    Numbers numbers = random_.at(strategy_->schedule());
    for (std::uint32_t t = 0; t < random_.threads(); ++t) next[t] = random_.step(numbers, t);
    const std::uint32_t waiting = numbers.below(1u << std::min(random_.threads(), 8u));
    return both(
        seen, [&] { strategy_->ended(waiting, next); },
        [&](PlainRaces& plain) { plain.ended(waiting, next); });
  }

  const RandomSteps& random_;
  Memory& copy_;
  std::unique_ptr<FlatStrategy> strategy_;
};

TEST(Races, AreThoseOfTheDefinition) {
  Memory memory(1 << 19), copy(1 << 19);
  Seen seen;
  Draws draws(1);
  draws.until("executions", seen.executions, programs(100'000));
  draws.until("races of steps that came late", seen.late, programs(100'000));
  draws.until("races", seen.reversed, programs(100'000));
  for (const std::uint64_t i : draws) {
    const std::uint64_t seed = seed_of(i);
    const RandomSteps random(seed);
    Comparison comparison(random, i % 16 == 0, memory, copy);
    ASSERT_TRUE(comparison.run(4, seen)) << "seed " << seed;
  }
  std::cout << seen.executions << " executions, " << seen.steps << " steps, " << seen.reversed
            << " races, " << seen.late << " steps looked at again\n";
  EXPECT_EQ(draws.lacks(), "");
}

}  // namespace
}  // namespace plumb::explore::test
