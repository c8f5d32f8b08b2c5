// SPDX-License-Identifier: MIT
// The races of a step, and what reverses them; dpor.cpp says why.
#include <bit>

#include "explore/dependent.hpp"
#include "explore/dpor_stack.hpp"

namespace plumb::explore {

namespace {

// Do they touch a lock that b takes, a in one of these two ways?
bool share_lock(const Step& a, Touch touch, Touch or_else, const Step& b) {
  for (int i = 0; i < a.count; ++i)
    for (int k = 0; k < b.count; ++k)
      if ((a.accesses[i].touch == touch || a.accesses[i].touch == or_else) &&
          b.accesses[k].touch == Touch::acquire && conflict(a.accesses[i], b.accesses[k]))
        return true;
  return false;
}

bool lets_pass(const Step& a, const Step& b) {
  return share_lock(a, Touch::release, Touch::release, b);
}

// To try a lock with success is to write it.
bool in_the_way(const Step& a, const Step& b) {
  return share_lock(a, Touch::acquire, Touch::write, b);
}

}  // namespace

// An earlier step that is not ordered with this one, but might have been had it come before its
// race: then it was taken to be an initial, which it is not if it comes after this one.
void Dpor::late_races(std::uint64_t last) {
  const Action& now = action(last);
  for (std::uint64_t offset = now.previous_action; offset != 0;) {
    const Action& other = action(offset);
    const std::uint64_t here = offset;
    offset = other.previous_action;
    const int whose = other.thread();
    if (whose == now.thread() || now.clock.at[whose] >= other.clock.at[whose]) continue;
    if (!related(other.possible, now.step)) continue;
    std::uint64_t own = other.previous_action;
    while (own != 0 && action(own).thread() != whose) own = action(own).previous_action;
    races({.step = other.step,
           .possible = other.possible,
           .chosen = other.chosen,
           .own = own,
           .before = other.previous_action,
           .at = here,
           .late = last});
  }
}

// Reverses all races of a step with what came before it, and returns the clock of what happens
// before it. If the step only waits, it has not happened: nothing but who took its lock is in its
// way, and nothing that happened since is before it.
Dpor::Clock Dpor::races(const Second& second) {
  const Step& step = second.step;
  const int thread = second.thread();
  Clock past;
  if (second.own) past = action(second.own).clock;
  Clock forced;
  std::uint64_t race_list = 0;
  for (std::uint64_t offset = second.before; offset != 0;) {
    Action& other = action(offset);
    const std::uint64_t here = offset;
    offset = other.previous_action;
    const int whose = other.thread();
    const std::int16_t when = other.clock.at[whose];
    if (whose == thread || past.at[whose] >= when) continue;
    if (!(second.waits ? conflict(other.step, step) : related(other.step, step))) continue;
    if (second.waits && !step.blocks && !in_the_way(other.step, step)) continue;
    // Who let it pass may hide who was in its way before: all of them are races.
    if (step.blocks && conflict(other.step, step)) {
      forced.join(other.clock);
      other.next_race = race_list;
      race_list = here;
      continue;
    }
    if (lets_pass(other.step, step)) {
      forced.join(other.clock);
      continue;
    }
    if (forced.at[whose] >= when && !in_the_way(other.step, step)) continue;
    other.next_race = race_list;
    race_list = here;
    past.join(other.clock);
  }
  past.join(forced);
  for (std::uint64_t first = race_list; first != 0; first = action(first).next_race) {
    const Action& node = action(first);
    const auto comes_after = [&](const Action& other) {
      return other.clock.at[node.thread()] >= node.clock.at[node.thread()];
    };
    if (second.late && (!conflict(node.step, step) || comes_after(action(second.late)))) continue;
    reverse(first, second, past);
  }
  return past;
}

// Sees to it that the search before `first` begins with an initial of v: what came after `first`
// without happening after it, then `second`, whose past is given. All of v but `second` will be as
// it was, since `first` did not touch it. But `second` may do something else when it comes before
// `first`: a compare-and-swap that failed may succeed, an operation may return. So it is an initial
// only if nothing in v depends on anything that it might do.
void Dpor::reverse(std::uint64_t first, const Second& second, Clock past) {
  const int whose = action(first).thread();
  const std::int16_t when = action(first).clock.at[whose];
  const std::uint64_t last = second.late ? second.late : second.before;
  const auto after_second = [&](const Action& next) {
    const int thread = second.thread();
    return second.at && next.clock.at[thread] >= action(second.at).clock.at[thread];
  };
  const auto for_all_before_second = [&](auto body) {
    for (std::uint64_t offset = first; offset != last;) {
      do offset += entry(offset).size;
      while (entry(offset).is_value);
      const Action& next = action(offset);
      if (next.clock.at[whose] < when && !after_second(next)) body(next);
    }
  };
  for_all_before_second([&](const Action& next) {
    if (next.thread() != second.thread() && related(next.step, second.possible))
      past.join(next.clock);
  });

  std::int16_t begun[kMaxThreads] = {};  // of each thread: which of its steps is the first in v
  std::uint32_t threads = 0;             // those in v
  const auto follows_one = [&](const Clock& clock) {
    for (std::uint32_t rest = threads; rest != 0; rest &= rest - 1) {
      const int t = std::countr_zero(rest);
      if (clock.at[t] >= begun[t]) return true;
    }
    return false;
  };
  std::uint64_t initials = 0;
  std::uint64_t useful = 0;  // initials that `second` comes after, or is
  for_all_before_second([&](const Action& next) {
    const int t = next.thread();
    if (threads >> t & 1) return;
    if (!follows_one(next.clock)) {
      initials |= bit_of(next.chosen);
      if (past.at[t] >= next.clock.at[t]) useful |= bit_of(next.chosen);
    }
    threads |= 1u << t;
    begun[t] = next.clock.at[t];
  });
  if (!(threads >> second.thread() & 1) && !follows_one(past)) {
    initials |= bit_of(second.chosen);
    useful |= bit_of(second.chosen);
  }
  add_to_source_set(action(first), initials, useful, second.thread());
}

void Dpor::add_to_source_set(Action& node, std::uint64_t initials, std::uint64_t useful,
                             int preferred) {
  if ((initials & node.asleep) || (actions_of_threads(initials) & node.backtrack)) return;
  const std::uint64_t possible = actions_of_threads(useful) & node.enabled;
  if (possible == 0) {
    // The step itself was not enabled there, and nothing but `first` can have changed that: it
    // cannot come before. With another thread this cannot be, if steps say all that they touch.
    if ((useful & ~actions_of_threads(bit_of(preferred))) != 0) node.backtrack |= node.enabled;
    return;
  }
  const std::uint64_t wanted = possible & actions_of_threads(bit_of(preferred));
  const int action = std::countr_zero(wanted ? wanted : possible);
  node.backtrack |= actions_of_threads(bit_of(action)) & node.enabled;
}

// Those of these threads that wait, after the action `before`, might not have had to.
void Dpor::wait_for_locks(std::uint32_t threads, std::span<const Step> next, std::uint64_t before) {
  for (std::uint32_t rest = threads; rest != 0; rest &= rest - 1) {
    const int thread = std::countr_zero(rest);
    if (static_cast<std::size_t>(thread) >= next.size()) break;
    Step possible = next[thread];
    possible.returns = true;
    races({next[thread], possible, thread, head_->last[thread], before, true});
  }
}

}  // namespace plumb::explore
