// SPDX-License-Identifier: MIT
// How the just-in-time search starts and ends.
#pragma once

#include "check/engines/jit_search.hpp"

namespace plumb::jit {

template <std::size_t kWords>
bool Search<kWords>::reached_end(std::uint32_t trail) {
  const Reason here{trail, recording_ ? order_ : std::vector<OperationId>{}};
  bool all = true;
  for (std::size_t j = 0; j < judged_.size(); ++j) {
    if (!reasons_[j] && automaton_.blocked(state_, problem_.ops[judged_[j]].label))
      reasons_[j] = here;
    all &= reasons_[j].has_value();
  }
  if (judged_.empty()) reasons_.assign(1, here);
  linearizable_ = true;
  return all;
}

template <std::size_t kWords>
void Search<kWords>::start() {
  go_to(0);
  std::fill(mask_.begin(), mask_.end(), 0);
  order_.clear();
  state_ = automaton_.initial();
  advance();
}

template <std::size_t kWords>
std::vector<OperationId> Search<kWords>::replay(std::uint32_t trail) {
  std::vector<Trail> choices;
  for (; trail != kNone; trail = choices.back().parent) choices.push_back(*trail_[trail]);
  recording_ = true;
  start();
  for (auto choice = choices.rbegin(); choice != choices.rend(); ++choice) {
    linearize(choice->op, choice->state);
    advance();
  }
  recording_ = false;
  return std::move(order_);
}

template <std::size_t kWords>
Answer Search<kWords>::conclude(bool settled) {
  Answer answer;
  answer.engine = "jit";
  finish_stats(answer);
  if (forced_at_ != kNone) {
    answer.forced = {forced_at_, forced_linearized_, automaton_.space().fork(forced_state_), 0};
    answer.forced.state = answer.forced.space->initial();
  }
  if (settled) {
    answer.verdict = Verdict::holds;
    if (!options_.witness) return answer;
    for (auto& reason : reasons_)
      answer.witnesses.push_back(recording_ ? std::move(reason->order) : replay(reason->trail));
    return answer;
  }
  answer.verdict = Verdict::violation;
  if (linearizable_) {
    const auto open = std::find(reasons_.begin(), reasons_.end(), std::nullopt);
    answer.unjustified = judged_[static_cast<std::size_t>(open - reasons_.begin())];
    return answer;
  }
  answer.failing_event = position(furthest_);
  return answer;
}

template <std::size_t kWords>
Answer Search<kWords>::give_up() {
  Answer answer;
  answer.engine = "jit";
  answer.reason = describe_stop(budget_);
  finish_stats(answer);
  return answer;
}

template <std::size_t kWords>
void Search<kWords>::finish_stats(Answer& answer) {
  within_budget();  // takes the last measure of the tables
  stats_.states = automaton_.space().size();
  stats_.configurations = std::max<std::uint64_t>(stats_.configurations, nodes_.size());
  answer.stats = stats_;
  answer.covered = static_cast<std::uint64_t>(
      std::count_if(window_.steps.begin(), window_.steps.begin() + furthest_,
                    [](Step step) { return step.is_return; }));
}

}  // namespace plumb::jit
