// SPDX-License-Identifier: MIT
// Line by line as printed, but for these slips:
//
//   line 60   lateness-- must be lateness++: an event that waits gets later (Example 4)
//   line 36   done <- {ev} must add ev: else the search never ends
//   line 59   ev not in p.done must be ev != p.select: else events that an earlier run executed
//   here
//             are lost from the later states
//
// and but for factors, which are a number for each event here. With a single K there is never more
// than one must-select event, as the paper says; with several there may be two, and then no
// permutation continues from there.
#include "check/property/quasi/permutations.hpp"

#include <algorithm>

namespace plumb::quasi {

QuasiPermutations::QuasiPermutations(std::vector<std::uint32_t> factor)
    : factor_(std::move(factor)), order_(factor_.size()) {}

bool QuasiPermutations::next() {
  if (begun_) return backtrack_run();
  begun_ = true;
  first_run();
  return true;
}

void QuasiPermutations::first_run() {
  state_stack_.reserve(factor_.size());
  for (std::uint32_t event = 0; event < factor_.size(); ++event) {
    State& s = state_stack_.emplace_back();
    s.done.assign(factor_.size(), false);
    s.select = order_[event] = event;
    s.done[event] = true;
    init_enabled_and_lateness(event, event);
  }
}

void QuasiPermutations::init_enabled_and_lateness(std::size_t state, std::uint32_t event) {
  for (std::int32_t lateness = 0;; --lateness, --state) {
    State& s = state_stack_[state];
    s.enabled.push_back({event, lateness});
    if (static_cast<std::uint32_t>(-lateness) == factor_[event] || state == 0) {
      s.newly_enabled.push_back({event, lateness});
      return;
    }
  }
}

bool QuasiPermutations::backtrack_run() {
  for (;;) {
    std::size_t at = state_stack_.size();
    while (at > 0 && pick_an_enabled_event(state_stack_[at - 1]) == kNothing) --at;
    if (at == 0) return false;
    for (--at;; ++at) {
      State& s = state_stack_[at];
      const std::uint32_t event = pick_an_enabled_event(s);
      if (event == kNothing) break;  // two must-select events: look for another run
      s.select = order_[at] = event;
      s.done[event] = true;
      if (at + 1 == state_stack_.size()) return true;
      update_enabled_and_lateness(at + 1);
    }
    // The states behind belong to the run before; nothing is to be picked there.
    for (std::size_t behind = at; behind < state_stack_.size(); ++behind)
      state_stack_[behind].enabled.clear();
  }
}

std::uint32_t QuasiPermutations::pick_an_enabled_event(const State& s) const {
  std::uint32_t any = kNothing, must = kNothing;
  for (const Enabled& e : s.enabled) {
    if (e.lateness >= 0 && static_cast<std::uint32_t>(e.lateness) >= factor_[e.event]) {
      if (must != kNothing) return kNothing;
      must = e.event;
    }
    if (!s.done[e.event]) any = e.event;
  }
  if (must != kNothing) return s.done[must] ? kNothing : must;
  return any;
}

void QuasiPermutations::update_enabled_and_lateness(std::size_t state) {
  State& s = state_stack_[state];
  const State& p = state_stack_[state - 1];
  std::fill(s.done.begin(), s.done.end(), false);
  s.enabled.clear();
  for (const Enabled& e : p.enabled)
    if (e.event != p.select) s.enabled.push_back({e.event, e.lateness + 1});
  s.enabled.insert(s.enabled.end(), s.newly_enabled.begin(), s.newly_enabled.end());
}

}  // namespace plumb::quasi
