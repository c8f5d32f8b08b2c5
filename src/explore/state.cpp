// SPDX-License-Identifier: MIT
#include "explore/state.hpp"

namespace plumb::explore {

int FlatStrategy::stop(StateHead::Phase phase) {
  if (!stopped()) state_->phase = phase;
  return kPrune;
}

int FlatStrategy::diverge(Divergence::What what, std::uint64_t recorded, std::uint64_t seen) {
  if (!diverged()) state_->divergence = {what, state_->position, recorded, seen};
  // Also after the end: an execution that ended too early did not end as it should.
  state_->phase = StateHead::kDiverged;
  return kPrune;
}

void FlatStrategy::account() {
  switch (state_->phase) {
    case StateHead::kEnded: ++state_->executions; break;
    case StateHead::kPruned: ++state_->pruned; break;
    case StateHead::kOverflow: ++state_->overflows; break;
    case StateHead::kDiverged: ++state_->divergences; break;
    case StateHead::kOpen: ++state_->given_up; break;
    case StateHead::kExhausted: return;
  }
  state_->phase = StateHead::kOpen;
  state_->divergence = {};
  state_->position = 0;
}

bool FlatStrategy::reopen() {
  if (state_->phase == StateHead::kExhausted) return false;
  state_->phase = StateHead::kOpen;
  state_->divergence = {};
  state_->position = 0;
  return true;
}

}  // namespace plumb::explore
