// SPDX-License-Identifier: MIT
#include "explore/plain_races.hpp"

#include <algorithm>
#include <bit>

#include "explore/dependent.hpp"

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

void PlainRaces::late_races(std::uint64_t last) {
  const Action& now = action(last);
  for (std::uint64_t offset = now.previous_action; offset != 0;) {
    const Action& other = action(offset);
    const std::uint64_t here = offset;
    offset = other.previous_action;
    const int whose = other.thread();
    if (whose == now.thread() || now.clock.at[whose] >= other.clock.at[whose]) continue;
    if (!dpor_.related(other.possible, now.step)) continue;
    ++late_;
    std::uint64_t own = other.previous_action;
    while (own != 0 && action(own).thread() != whose) own = action(own).previous_action;
    bool conflicts = false;
    races({.step = other.step,
           .possible = other.possible,
           .chosen = other.chosen,
           .own = own,
           .before = other.previous_action,
           .at = here,
           .late = last},
          conflicts);
  }
}

PlainRaces::Clock PlainRaces::races(const Second& second, bool& conflicts) {
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
    if (!(second.waits ? conflict(other.step, step) : dpor_.related(other.step, step))) continue;
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
    conflicts |= conflict(node.step, step);
    if (second.late && (!conflict(node.step, step) || comes_after(action(second.late)))) continue;
    ++reversed_;
    reverse(first, second, past);
  }
  return past;
}

void PlainRaces::reverse(std::uint64_t first, const Second& second, Clock past) {
  const int whose = action(first).thread();
  const std::int16_t when = action(first).clock.at[whose];
  const std::uint64_t last = second.late ? second.late : second.before;
  const auto after_second = [&](const Action& next) {
    const int thread = second.thread();
    return second.at && next.clock.at[thread] >= action(second.at).clock.at[thread];
  };
  const auto for_all_before_second = [&](auto body) {
    for (std::uint64_t offset = first; offset != last;) {
      do offset += dpor_.entry(offset).size;
      while (dpor_.entry(offset).is_value);
      const Action& next = action(offset);
      if (next.clock.at[whose] < when && !after_second(next)) body(next);
    }
  };
  for_all_before_second([&](const Action& next) {
    if (next.thread() != second.thread() && dpor_.related(next.step, second.possible))
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
  dpor_.add_to_source_set({first, initials, useful, static_cast<std::uint64_t>(second.thread())});
}

// As Dpor::executed(), which has found out what the step might have been.
void PlainRaces::taken(const Dpor& after) {
  Action& node = action(head_.last_action);
  const Action& done = after.action(head_.last_action);
  node.step = done.step;
  node.possible = done.possible;
  bool conflicts = false;
  node.clock = races(
      {node.step, node.possible, node.chosen, head_.last[node.thread()], node.previous_action},
      conflicts);
  ++node.clock.at[node.thread()];
  node.has_races = conflicts;
  late_races(head_.last_action);
}

void PlainRaces::ended(std::uint32_t waiting, std::span<const Step> next) {
  for (std::uint32_t rest = waiting; rest != 0; rest &= rest - 1) {
    const int thread = std::countr_zero(rest);
    Step possible = next[static_cast<std::size_t>(thread)];
    possible.returns = true;
    bool conflicts = false;
    races({next[static_cast<std::size_t>(thread)], possible, thread, head_.last[thread],
           head_.last_action, true},
          conflicts);
  }
}

bool PlainRaces::is_as(const Dpor& other) const {
  for (std::uint64_t at = head_.last_action; at != 0; at = action(at).previous_action) {
    const Action &mine = action(at), &theirs = other.action(at);
    if (mine.backtrack != theirs.backtrack || mine.has_races != theirs.has_races ||
        !std::ranges::equal(mine.clock.at, theirs.clock.at))
      return false;
  }
  return true;
}

std::string PlainRaces::describe() const {
  std::string text;
  for (std::uint64_t at = head_.last_action; at != 0; at = action(at).previous_action) {
    const Action& node = action(at);
    text += std::to_string(node.chosen) + ": to explore " + std::to_string(node.backtrack) +
            (node.has_races ? ", has races" : "") + ", after";
    for (const std::int16_t count : node.clock.at) text += ' ' + std::to_string(count);
    text += '\n';
  }
  return text;
}

}  // namespace plumb::explore
