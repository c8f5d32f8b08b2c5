// SPDX-License-Identifier: MIT
// The entries of the stack of dpor.cpp: an execution, one entry per choice.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "explore/dependent.hpp"
#include "explore/dpor.hpp"

namespace plumb::explore {

constexpr std::uint64_t bit_of(int action) { return std::uint64_t{1} << action; }

/// All actions of the threads of these ones.
constexpr std::uint64_t actions_of_threads(std::uint64_t actions) {
  const std::uint64_t threads = (actions | actions >> kTimeout) & 0xffffffffu;
  return threads | threads << kTimeout;
}

/// How many steps of each thread happen before or at a step. Signed, since that is what SSE2
/// compares.
struct Dpor::Clock {
  std::int16_t at[kMaxThreads] = {};

  void join(const Clock& other) {
    for (int t = 0; t < kMaxThreads; ++t) at[t] = std::max(at[t], other.at[t]);
  }
};

/// A step whose races are looked for.
struct Dpor::Second {
  const Step& step;
  const Step& possible;    // what it might have been, had it come earlier
  int chosen;              // the action
  std::uint64_t own;       // the last action of its thread before it
  std::uint64_t before;    // the last action before it
  bool waits = false;      // it has not happened
  std::uint64_t at = 0;    // it has, there, and is looked at again
  std::uint64_t late = 0;  // because this one came, the last so far

  int thread() const { return chosen % kTimeout; }
};

/// What races() has found out about a step.
struct Dpor::Past {
  Clock clock;             // what happens before it
  bool conflicts = false;  // some of the races are conflicts
};

struct Dpor::Entry {
  std::uint64_t previous;  // entry
  std::uint32_t size;
  std::uint32_t is_value;
};

struct Dpor::Value : Entry {
  std::uint32_t count;
};

struct Dpor::Sleeper {
  Step step;
  int action;
};

struct Dpor::Action : Entry {
  std::uint64_t previous_action;
  std::uint64_t previous_own;  // of its thread
  std::uint64_t next_race;     // a list, while the races of one step are looked for
  std::uint64_t enabled;
  std::uint64_t backtrack;
  std::uint64_t asleep;  // from the beginning, or explored since
  std::uint64_t tried;   // actions of the chosen thread that are explored; it sleeps when all are
  std::uint64_t outer;   // if the search is divided here: where it stopped before that
  std::int32_t current;
  std::int32_t chosen;
  std::uint32_t sleepers;   // they follow
  std::uint32_t explored;   // alternatives of the chosen thread so far
  std::uint32_t has_races;  // its accesses conflict with those of a step that it races with
  std::uint32_t queued;     // threads in the backtrack set besides the first, in the order in which
  std::array<std::uint8_t, kMaxThreads> queue;  // they came
  Step step;                                    // foreseen until it is taken
  Step possible;                                // what it might have been, had it come earlier
  Step any;  // what any of the alternatives did, or might have done
  Clock clock;

  int thread() const { return chosen % kTimeout; }
  Sleeper* sleeper() { return reinterpret_cast<Sleeper*>(this + 1); }
  const Sleeper* sleeper() const { return reinterpret_cast<const Sleeper*>(this + 1); }
  void add_to_backtrack(int thread) {
    const std::uint64_t more = actions_of_threads(bit_of(thread)) & enabled & ~backtrack;
    if (more == 0) return;
    backtrack |= more;
    queue[queued++] = static_cast<std::uint8_t>(thread);
  }
  void put_to_sleep(int which, const Step& what) {
    sleeper()[sleepers++] = {what, which};
    asleep |= bit_of(which);
  }
};

/// A race whose reversal must begin before `node` with one of these.
struct Dpor::Report {
  std::uint64_t node;
  std::uint64_t initials, useful;  // of the reversal; useful: those that what races comes after
  std::uint64_t preferred;         // a thread

  friend bool operator==(const Report&, const Report&) = default;
};

inline Dpor::Entry& Dpor::entry(std::uint64_t offset) const {
  return *reinterpret_cast<Entry*>(reinterpret_cast<std::byte*>(head_) + offset);
}
inline Dpor::Action& Dpor::action(std::uint64_t offset) const {
  return static_cast<Action&>(entry(offset));
}
inline bool Dpor::related(const Step& a, const Step& b) const {
  return head_->memory_only ? conflict(a, b) : dependent(a, b);
}

}  // namespace plumb::explore
