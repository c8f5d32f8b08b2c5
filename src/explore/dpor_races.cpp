// SPDX-License-Identifier: MIT
// The races of a step, and what reverses them; dpor.cpp says why.
#include <bit>

#include "explore/dependent.hpp"
#include "explore/dpor_index.hpp"
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
  if (!is_short() && !index_up_to(last)) {
    stop(Phase::overflow);
    return;
  }
  Earlier earlier(*this, now.step, DporAsked::might_have, others(now.thread()),
                  {static_cast<std::uint32_t>(now.previous_action)});
  while (const std::uint64_t here = earlier.next(now.clock)) {
    const Action& other = action(here);
    if (!other.has_races || !related(other.possible, now.step)) continue;
    races({.step = other.step,
           .possible = other.possible,
           .chosen = other.chosen,
           .own = other.previous_own,
           .before = other.previous_action,
           .at = here,
           .late = last});
  }
}

// Reverses all races of a step with what came before it, and returns the clock of what happens
// before it. If the step only waits, it has not happened: nothing but who took its lock is in its
// way, and nothing that happened since is before it.
Dpor::Past Dpor::races(const Second& second) {
  const Step& step = second.step;
  Past found;
  Clock& past = found.clock;
  if (!is_short() && !second.late && !index_up_to(second.before)) {
    stop(Phase::overflow);
    return found;
  }
  if (second.own) past = action(second.own).clock;
  Clock forced;
  std::uint64_t race_list = 0;
  Earlier earlier(*this, step, DporAsked::did, others(second.thread()),
                  {static_cast<std::uint32_t>(second.before)});
  while (const std::uint64_t here = earlier.next(past)) {
    Action& other = action(here);
    const int whose = other.thread();
    if (!(second.waits ? conflict(other.step, step) : related(other.step, step))) continue;
    if (second.waits && !step.blocks && !in_the_way(other.step, step)) continue;
    // Who let it pass may hide who was in its way before: all of them are races.
    const bool all = step.blocks && conflict(other.step, step);
    const bool is_forced = forced.at[whose] >= other.clock.at[whose];
    if (all || lets_pass(other.step, step)) forced.join(other.clock);
    else if (!is_forced || in_the_way(other.step, step)) past.join(other.clock);
    else continue;
    if (!all && lets_pass(other.step, step)) continue;
    other.next_race = race_list;
    race_list = here;
  }
  past.join(forced);
  for (std::uint64_t first = race_list; first != 0; first = action(first).next_race) {
    const Action& node = action(first);
    const bool conflicts = conflict(node.step, step);
    found.conflicts |= conflicts;
    const auto comes_after = [&](const Action& other) {
      return other.clock.at[node.thread()] >= node.clock.at[node.thread()];
    };
    if (second.late && (!conflicts || comes_after(action(second.late)))) continue;
    reverse(first, second, past);
  }
  return found;
}

// The steps after `first` of which `is_in_v` holds. Requires: if it holds of a step, then of those
// of the same thread before.
template <class Is>
void Dpor::find_spans(std::uint64_t first, std::uint64_t last, int whose, Is is_in_v,
                      Spans& v) const {
  if (is_short()) {
    for (std::uint64_t at = last; at > first; at = action(at).previous_action) {
      const int t = action(at).thread();
      if (t == whose || !is_in_v(at)) continue;
      v.begins[t] = static_cast<std::uint32_t>(at);
      if ((v.threads >> t & 1) == 0) v.ends[t] = v.begins[t];
      v.threads |= 1u << t;
    }
    return;
  }
  for (std::uint32_t rest = others(whose); rest != 0; rest &= rest - 1) {
    const int t = std::countr_zero(rest);
    const std::uint32_t end = last_that(list(DporList::steps, t), is_in_v);
    if (end == 0 || node(end).action <= first) continue;
    v.ends[t] = node(end).action;
    v.begins[t] = static_cast<std::uint32_t>(first_after(end, first));
    v.threads |= 1u << t;
  }
}

// Sees to it that the search before `first` begins with an initial of v: what came after `first`
// without happening after it, then `second`, whose past is given. All of v but `second` will be as
// it was, since `first` did not touch it. But `second` may do something else when it comes before
// `first`: a compare-and-swap that failed may succeed, an operation may return. So it is an initial
// only if nothing in v depends on anything that it might do.
//
// Of each thread, v has some steps in a row: what comes after one that is left out is left out. So
// it is enough to know the first and the last of them.
void Dpor::reverse(std::uint64_t first, const Second& second, Clock past) {
  const int whose = action(first).thread();
  const std::int16_t when = action(first).clock.at[whose];
  const int thread = second.thread();
  const std::uint64_t last = second.late ? second.late : second.before;
  const auto is_in_v = [&](std::uint64_t offset) {
    const Clock& clock = action(offset).clock;
    return offset <= last && clock.at[whose] < when &&
           !(second.at && clock.at[thread] >= action(second.at).clock.at[thread]);
  };
  Spans v;
  find_spans(first, last, whose, is_in_v, v);
  Earlier earlier(*this, second.possible, DporAsked::did, v.threads & ~(1u << thread), {0, v.ends});
  for (std::uint64_t next; (next = earlier.next(past)) > first;)
    if (related(action(next).step, second.possible)) past.join(action(next).clock);

  const auto follows_one = [&](const Clock& clock, std::uint32_t rest) {
    for (; rest != 0; rest &= rest - 1) {
      const int t = std::countr_zero(rest);
      if (clock.at[t] >= action(v.begins[t]).clock.at[t]) return true;
    }
    return false;
  };
  std::uint64_t initials = 0;
  std::uint64_t useful = 0;  // initials that `second` comes after, or is
  for (std::uint32_t rest = v.threads; rest != 0; rest &= rest - 1) {
    const int t = std::countr_zero(rest);
    const Action& next = action(v.begins[t]);
    if (follows_one(next.clock, v.threads & ~(1u << t))) continue;
    initials |= bit_of(next.chosen);
    if (past.at[t] >= next.clock.at[t]) useful |= bit_of(next.chosen);
  }
  if (!(v.threads >> thread & 1) && !follows_one(past, v.threads)) {
    initials |= bit_of(second.chosen);
    useful |= bit_of(second.chosen);
  }
  const Report found{first, initials, useful, static_cast<std::uint64_t>(thread)};
  if (first <= head_->given_at) note(found);
  else add_to_source_set(found);
}

bool Dpor::is_in_source_set(const Report& report) const {
  const Action& node = action(report.node);
  return (report.initials & node.asleep) != 0 ||
         (actions_of_threads(report.initials) & node.backtrack) != 0;
}

void Dpor::add_to_source_set(const Report& report) {
  if (is_in_source_set(report)) return;
  Action& node = action(report.node);
  const std::uint64_t possible = actions_of_threads(report.useful) & node.enabled;
  const std::uint64_t preferred = actions_of_threads(bit_of(static_cast<int>(report.preferred)));
  if (possible == 0) {
    // The step itself was not enabled there, and nothing but `first` can have changed that: it
    // cannot come before. With another thread this cannot be, if steps say all that they touch.
    if ((report.useful & ~preferred) == 0) return;
    for (std::uint64_t rest = actions_of_threads(node.enabled) & 0xffffffffu; rest != 0;
         rest &= rest - 1)
      node.add_to_backtrack(std::countr_zero(rest));
    return;
  }
  const std::uint64_t wanted = possible & preferred;
  node.add_to_backtrack(std::countr_zero(wanted ? wanted : possible) % kTimeout);
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
