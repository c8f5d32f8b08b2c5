// SPDX-License-Identifier: MIT
// Depth first: of the children of a configuration the best one is explored at once, the others wait
// on a stack.
#pragma once

#include "check/engines/jit_search.hpp"

namespace plumb::jit {

/// Makes the child the working configuration. Returns: its hash.
template <std::size_t kWords>
std::uint32_t Search<kWords>::move_to_child(std::uint32_t parent, OperationId op, StateId state) {
  const Node& node = *nodes_[parent];
  go_to(node.event);
  std::copy_n(masks_[parent], words(), mask_.begin());
  order_.resize(node.order_size);
  linearize(op, state);
  advance();
  furthest_ = std::max(furthest_, at_);
  return hash_of_working();
}

/// All children of the working configuration. The one that advances furthest becomes the working
/// one, the others wait. Returns: its node; kNone: all were seen before.
template <std::size_t kWords>
std::uint32_t Search<kWords>::explore_children(std::uint32_t parent) {
  const StateId state = state_;
  const std::size_t base = stack_.size();
  std::size_t best = base;
  std::uint32_t best_hash = 0;
  candidates(list_);
  for (const OperationId op : list_) {
    const auto successors = automaton_.step(state, problem_.ops[op].label);
    next_.assign(successors.begin(), successors.end());
    for (const StateId next : next_) {
      if (next == state && of_no_use(op)) continue;
      ++stats_.steps;
      const std::uint32_t hash = move_to_child(parent, op, next);
      if (seen(hash)) continue;
      stack_.push_back({at_, next, parent, op});
      if (stack_.size() == base + 1 || better(stack_.back(), stack_[best])) {
        best = stack_.size() - 1;
        best_hash = hash;
      }
    }
  }
  if (stack_.size() == base) return kNone;
  const Child child = stack_[best];
  stack_.erase(stack_.begin() + static_cast<std::ptrdiff_t>(best));
  std::stable_sort(stack_.begin() + static_cast<std::ptrdiff_t>(base), stack_.end(),
                   [this](const Child& a, const Child& b) { return better(b, a); });
  if (list_.size() > 1 || next_.size() > 1) move_to_child(parent, child.op, child.state);
  return remember(best_hash, child.parent, child.op);
}

/// Returns: the node of the latest child that waits and was not seen since; kNone: there is none.
template <std::size_t kWords>
std::uint32_t Search<kWords>::explore_waiting() {
  while (!stack_.empty()) {
    const Child child = stack_.back();
    stack_.pop_back();
    const std::uint32_t hash = move_to_child(child.parent, child.op, child.state);
    if (!seen(hash)) return remember(hash, child.parent, child.op);
  }
  return kNone;
}

template <std::size_t kWords>
Answer Search<kWords>::depth_first(std::uint64_t most_configurations) {
  recording_ = true;
  start();
  furthest_ = at_;
  std::uint32_t current = remember(hash_of_working(), kNone, kNone);
  for (std::uint64_t expansions = 0;; ++expansions) {
    if (at_ == end() && reached_end(current)) return conclude(true);
    if (nodes_.size() > most_configurations || !may_continue(expansions)) return give_up();
    const std::uint32_t child = explore_children(current);
    current = child != kNone ? child : explore_waiting();
    if (current == kNone) return conclude(false);
  }
}

}  // namespace plumb::jit
