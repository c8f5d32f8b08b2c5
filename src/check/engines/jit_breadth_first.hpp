// SPDX-License-Identifier: MIT
// Breadth first. Nodes are the configurations at the present event only; how they came about is
// kept apart, in the trail.
#pragma once

#include "check/engines/jit_search.hpp"

namespace plumb::jit {

template <std::size_t kWords>
struct Search<kWords>::Frontier {
  struct Configuration {
    StateId state;
    std::uint32_t trail;
  };
  std::vector<Configuration> configurations;
  std::vector<Word> masks;
};

template <std::size_t kWords>
void Search<kWords>::load(const Word* mask, StateId state) {
  std::copy_n(mask, words(), mask_.begin());
  state_ = state;
}

template <std::size_t kWords>
void Search<kWords>::keep(Frontier& frontier, std::uint32_t trail) const {
  frontier.configurations.push_back({state_, trail});
  frontier.masks.insert(frontier.masks.end(), mask_.begin(), mask_.end());
}

template <std::size_t kWords>
void Search<kWords>::remember_if_new(std::uint32_t parent, OperationId op) {
  const std::uint32_t hash = hash_of_working();
  if (seen(hash)) return;
  std::uint32_t trail = parent;
  if (op != kNone) {
    trail = static_cast<std::uint32_t>(trail_.size());
    *trail_.push() = {parent, op, state_};
    ++stats_.configurations;
  }
  remember(hash, trail, op);
}

/// Remembers what comes of the node by linearizing one pending operation.
template <std::size_t kWords>
void Search<kWords>::expand(std::uint32_t i) {
  const Node node = *nodes_[i];
  candidates(list_);
  for (const OperationId op : list_) {
    const auto successors = automaton_.step(node.state, problem_.ops[op].label);
    next_.assign(successors.begin(), successors.end());
    for (const StateId next : next_) {
      if (next == node.state && of_no_use(op)) continue;
      ++stats_.steps;
      load(masks_[i], node.state);
      linearize(op, next);
      remember_if_new(node.parent, op);
    }
  }
}

/// Closes the frontier under linearizing pending operations. A configuration in which `target` is
/// linearized stays in the frontier; the others are expanded. At the end (target kNone) all are
/// expanded. Returns: whether the question is settled; nothing: the budget is exhausted.
template <std::size_t kWords>
std::optional<bool> Search<kWords>::close(Frontier& frontier, OperationId target) {
  forget();
  for (std::size_t i = 0; i < frontier.configurations.size(); ++i) {
    load(&frontier.masks[i * words()], frontier.configurations[i].state);
    remember_if_new(frontier.configurations[i].trail, kNone);
  }
  frontier.configurations.clear();
  frontier.masks.clear();
  for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
    if (!may_continue(i + 1)) return std::nullopt;
    const Node& node = *nodes_[i];
    load(masks_[i], node.state);
    if (target == kNone && reached_end(node.parent)) return true;
    if (target != kNone && test(mask_.data(), window_.slot[target])) keep(frontier, node.parent);
    else expand(i);
  }
  stats_.peak_frontier = std::max<std::uint64_t>(stats_.peak_frontier, nodes_.size());
  return false;
}

/// A single configuration is left after that return: Answer::Forced.
template <std::size_t kWords>
void Search<kWords>::note_if_forced(const Frontier& frontier, OperationId returned) {
  const std::uint32_t ret = problem_.ops[returned].ret;
  if (frontier.configurations.size() != 1 || ret >= options_.forced_before) return;
  forced_at_ = ret + 1;
  forced_state_ = frontier.configurations.front().state;
  forced_linearized_.clear();
  for (std::size_t i = 0; i < words(); ++i)
    for (Word rest = frontier.masks[i]; rest; rest &= rest - 1)
      forced_linearized_.push_back(
          slot_op_[i * 64 + static_cast<std::size_t>(std::countr_zero(rest))]);
}

template <std::size_t kWords>
Answer Search<kWords>::breadth_first() {
  Frontier frontier;
  go_to(0);
  std::fill(mask_.begin(), mask_.end(), 0);
  state_ = automaton_.initial();
  keep(frontier, kNone);
  auto& configurations = frontier.configurations;
  for (std::uint64_t events = 0; at_ < end(); ++events) {
    if (!may_continue(events)) return give_up();
    const Step step = window_.steps[at_];
    if (step.is_return) {
      furthest_ = at_;
      if (!close(frontier, step.op)) return give_up();
      if (configurations.empty()) return conclude(false);
      for (std::size_t i = 0; i < configurations.size(); ++i)
        clear(&frontier.masks[i * words()], step.slot);
      forward();
      note_if_forced(frontier, step.op);
      continue;
    }
    forward();
    if (!step.pure) continue;
    for (std::size_t i = 0; i < configurations.size(); ++i) {
      load(&frontier.masks[i * words()], configurations[i].state);
      commit_if_legal(step.op);
      std::copy_n(mask_.begin(), words(), &frontier.masks[i * words()]);
    }
  }
  furthest_ = at_;
  const std::optional<bool> settled = close(frontier, kNone);
  return settled ? conclude(*settled) : give_up();
}

}  // namespace plumb::jit
