// SPDX-License-Identifier: MIT
// Three ways to draw a schedule.
//
// Uniform: every action that is enabled is as likely as any other. It switches often, so that long
// stretches of one thread are hardly ever seen; `stay` makes them likelier.
//
// PCT (Burckhardt, Kothari, Musuvathi, Nagarakatte, "A randomized scheduler with probabilistic
// guarantees of finding bugs", ASPLOS 2010): each thread has a random priority, and the highest one
// that is enabled runs. At d - 1 random moments the thread that is about to run falls below all
// others. A bug that needs d events in a certain order is found with probability at least 1/(n
// k^(d-1)), for n threads and k steps. The moments are drawn from an estimate of k. If it were
// learned from all runs, run i would depend on what was run before it; so it is measured once, in
// run 0, which has no such moments.
//
// POS (Yuan, Yang, Gu, "Partial order aware concurrency sampling", CAV 2018): each event has a
// random priority, and the highest one that is enabled happens. The priorities of events that race
// with it are drawn again, else one that lost against it would keep losing, and orders of racing
// events would not be alike.
//
// A thread that yields must let all others run before it runs again, and a wait that ran out must
// not run out again while anybody else can run: under priorities they would starve the thread that
// they wait for. So they fall below everybody.
#include "explore/random.hpp"

#include <algorithm>
#include <bit>
#include <new>

#include "explore/dependent.hpp"

namespace plumb::explore {

namespace {

// Steele, Lea, Flood: SplitMix64.
std::uint64_t mixed(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return z ^ (z >> 31);
}
constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15ull;

}  // namespace

Random::Random(Kind kind, const RandomOptions& options, std::span<std::byte> memory)
    : FlatStrategy(nullptr, nullptr), head_(new (memory.data()) RandomHead) {
  head_->version = kStateVersion;
  head_->kind = kind;
  head_->options = options;
  head_->capacity = static_cast<std::uint32_t>(
      std::min<std::size_t>(memory.size() - sizeof(RandomHead), ~std::uint32_t{0}));
  head_->run = options.first;
  head_->left = options.runs - 1;
  head_->length = options.length;
  head_->measures = kind == Kind::pct && options.length == 0 && options.first != 0;
  head_->magic = kStateMagic;
  *this = Random(memory);
  begin();
}

Random::Random(std::span<std::byte> memory)
    : FlatStrategy(reinterpret_cast<StateHead*>(memory.data()),
                   reinterpret_cast<std::uint8_t*>(memory.data()) + sizeof(RandomHead)),
      head_(reinterpret_cast<RandomHead*>(memory.data())) {}

std::span<const std::byte> Random::used() const {
  return {reinterpret_cast<const std::byte*>(head_), sizeof(RandomHead) + head_->position};
}

std::uint64_t Random::draw() { return mixed(head_->generator += kGolden); }

std::uint32_t Random::below(std::uint64_t n) {
  return static_cast<std::uint32_t>((draw() >> 32) * n >> 32);
}

void Random::begin() {
  const std::uint64_t run = head_->measures ? 0 : head_->run;
  head_->generator = mixed(head_->options.seed * kGolden + 1) + mixed(run * kGolden + 2);
  head_->overflows_before = head_->overflows;
  head_->drawn = 0;
  head_->lowest = 0;
  head_->last = -1;
  head_->has_moved = 0;
  if (head_->kind == Kind::pct && head_->length != 0)
    for (std::uint32_t i = 0; i < std::min(head_->options.changes, RandomHead::kMostChanges); ++i)
      head_->changes_at[i] = below(head_->length);
}

int Random::choose(const Point& point) {
  if (stopped()) return kPrune;
  if (head_->position >= head_->capacity) return stop(Phase::overflow);
  const int action = head_->kind == Kind::pct   ? pct(point)
                     : head_->kind == Kind::pos ? pos(point)
                                                : uniform(point);
  choices_[head_->position++] = static_cast<std::uint8_t>(action);
  head_->last = action;
  return action;
}

int Random::choose_value(int count, int) {
  if (stopped()) return 0;
  if (head_->position >= head_->capacity) {
    stop(Phase::overflow);
    return 0;
  }
  head_->overflows += count > kMaxValues;
  const auto value =
      static_cast<int>(below(static_cast<std::uint64_t>(std::min(count, kMaxValues))));
  choices_[head_->position++] = static_cast<std::uint8_t>(kValue + value);
  return value;
}

int Random::uniform(const Point& point) {
  if (head_->options.stay != 0 && point.current >= 0 && below(100) < head_->options.stay)
    return point.current;
  std::uint64_t rest = point.enabled;
  for (std::uint32_t skip = below(static_cast<std::uint64_t>(std::popcount(rest))); skip > 0;
       --skip)
    rest &= rest - 1;
  return std::countr_zero(rest);
}

void Random::draw_priorities(std::uint64_t actions) {
  for (std::uint64_t rest = actions & ~head_->drawn; rest != 0; rest &= rest - 1)
    head_->priority[std::countr_zero(rest)] =
        static_cast<std::int64_t>(draw() >> 2) + RandomHead::kMostChanges;
  head_->drawn |= actions;
}

int Random::highest(std::uint64_t actions) const {
  int best = std::countr_zero(actions);
  for (std::uint64_t rest = actions & (actions - 1); rest != 0; rest &= rest - 1)
    if (head_->priority[std::countr_zero(rest)] > head_->priority[best])
      best = std::countr_zero(rest);
  return best;
}

int Random::pct(const Point& point) {
  draw_priorities(point.enabled);
  const int last = head_->last;
  if (last >= 0 && (last >= kTimeout || (point.current < 0 && point.enabled >> last & 1)))
    head_->priority[last] = --head_->lowest;
  if (head_->length != 0 && !head_->measures)
    for (std::uint32_t i = 0; i < std::min(head_->options.changes, RandomHead::kMostChanges); ++i)
      if (head_->changes_at[i] == head_->position) head_->priority[highest(point.enabled)] = i;
  return highest(point.enabled);
}

int Random::pos(const Point& point) {
  if (head_->has_moved) {
    const int thread = head_->moved.thread;
    std::uint64_t again = std::uint64_t{1} << thread | std::uint64_t{1} << (thread + kTimeout);
    for (std::size_t t = 0; t < point.next.size(); ++t)
      if (head_->drawn >> t & 1 && conflict(point.next[t], head_->moved))
        again |= std::uint64_t{1} << t;
    head_->drawn &= ~again;
    head_->has_moved = 0;
  }
  draw_priorities(point.enabled);
  return highest(point.enabled);
}

void Random::taken(const Step& step) {
  if (head_->kind != Kind::pos) return;
  head_->moved = step;
  head_->has_moved = 1;
}

void Random::ended(std::uint32_t, std::span<const Step>) { stop(Phase::ended); }

bool Random::advance() {
  const std::uint32_t length = head_->position;
  const std::uint64_t before = head_->executions;
  account();
  if (head_->kind == Kind::pct && head_->length == 0) head_->length = length + length / 4 + 1;
  if (head_->measures) {
    head_->measures = 0;
    head_->executions = before;  // who begins with run 0 counts it
  } else if (head_->left == 0) {
    head_->phase = Phase::exhausted;
    return false;
  } else {
    --head_->left;
    ++head_->run;
  }
  begin();
  return true;
}

// Little is kept, so that the first runs that are left are run first, whoever runs them.
bool Random::split(std::span<std::byte> other) {
  const bool is_measured = head_->kind != Kind::pct || head_->length != 0;
  if (!is_measured || head_->left <= kMostKept || other.size() <= sizeof(RandomHead)) return false;
  auto* const theirs = new (other.data()) RandomHead(*head_);
  theirs->run += kMostKept + 1;
  theirs->left -= kMostKept + 1;
  theirs->capacity = static_cast<std::uint32_t>(
      std::min<std::size_t>(other.size() - sizeof(RandomHead), ~std::uint32_t{0}));
  head_->left = kMostKept;
  Random given(other);
  given.set_counts({});
  given.begin();
  return true;
}

// All that is drawn comes from the seed and the number of the run.
bool Random::rewind() {
  if (!reopen()) return false;
  head_->overflows = head_->overflows_before;
  begin();
  return true;
}

}  // namespace plumb::explore
