// SPDX-License-Identifier: MIT
#include "lineup/serial.hpp"

#include <algorithm>

namespace plumb::lineup {

SerialHistory to_serial(const ObservedHistory& history) {
  SerialHistory serial;
  for (const ObservedEvent& event : history.events) {
    if (!event.is_return) serial.push_back({event.operation, 0, true});
    else serial.back() = {event.operation, event.result, false};
  }
  return serial;
}

ObservedHistory to_concurrent(const SerialHistory& serial) {
  ObservedHistory history;
  for (const SerialStep& step : serial) {
    history.events.push_back({step.operation, false, 0});
    if (!step.stuck) history.events.push_back({step.operation, true, step.result});
    history.stuck |= step.stuck;
  }
  return history;
}

bool SerialHistories::has(int operation, ResultId result) const {
  for (const Node& node : nodes_) {
    for (const Edge& edge : node) {
      if (edge.step == SerialStep{operation, result, false}) return true;
    }
  }
  return false;
}

bool SerialHistories::forks(int operation) const {
  return std::ranges::any_of(
      forks_, [&](const auto& fork) { return fork.second.back().operation == operation; });
}

void SerialHistories::add(const ObservedHistory& history) { add(to_serial(history)); }

void SerialHistories::add(const SerialHistory& history) {
  int at = kRoot;
  bool is_new = false;
  for (std::size_t i = 0; i < history.size(); ++i) {
    const SerialStep& step = history[i];
    const Edge* next = nullptr;
    const SerialStep* other = nullptr;
    for (const Edge& edge : node(at)) {
      if (edge.step == step) next = &edge;
      else if (edge.step.operation == step.operation && !edge.step.has(left_out))
        other = &edge.step;
    }
    if (next == nullptr) {
      if (other != nullptr && !step.has(left_out) && !forks(step.operation)) {
        SerialHistory first(history.begin(), history.begin() + static_cast<std::ptrdiff_t>(i));
        SerialHistory second = first;
        first.push_back(*other);
        second.push_back(step);
        forks_.emplace_back(std::move(first), std::move(second));
      }
      is_new = true;
      const int to = step.stuck ? -1 : static_cast<int>(nodes_.size());
      if (!step.stuck) nodes_.emplace_back();
      nodes_[static_cast<std::size_t>(at)].push_back({step, to});
      at = to;
    } else {
      at = next->to;
    }
  }
  if (is_new || history.empty()) {
    const bool is_stuck = !history.empty() && history.back().stuck;
    (is_stuck ? stuck_ : full_).push_back(history);
  }
}

}  // namespace plumb::lineup
