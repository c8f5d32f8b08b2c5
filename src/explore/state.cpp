// SPDX-License-Identifier: MIT
#include "explore/state.hpp"

namespace plumb::explore {

int FlatStrategy::stop(Phase phase) {
  if (!stopped()) state_->phase = phase;
  return kPrune;
}

int FlatStrategy::diverge(Divergence::What what, std::uint64_t recorded, std::uint64_t seen) {
  if (!diverged()) state_->divergence = {what, state_->position, recorded, seen};
  // Also after the end: an execution that ended too early did not end as it should.
  state_->phase = Phase::diverged;
  return kPrune;
}

void FlatStrategy::account() {
  switch (state_->phase) {
    case Phase::ended: ++state_->executions; break;
    case Phase::pruned: ++state_->pruned; break;
    case Phase::overflow: ++state_->overflows; break;
    case Phase::diverged: ++state_->divergences; break;
    case Phase::open: ++state_->given_up; break;
    case Phase::exhausted: return;
  }
  state_->phase = Phase::open;
  state_->divergence = {};
  state_->position = 0;
}

void FlatStrategy::set_counts(const StateHead& of_all) {
  state_->executions = of_all.executions;
  state_->pruned = of_all.pruned;
  state_->given_up = of_all.given_up;
  state_->overflows = of_all.overflows;
  state_->divergences = of_all.divergences;
}

bool FlatStrategy::reopen() {
  if (state_->phase == Phase::exhausted) return false;
  state_->phase = Phase::open;
  state_->divergence = {};
  state_->position = 0;
  return true;
}

}  // namespace plumb::explore
