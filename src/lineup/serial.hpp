// SPDX-License-Identifier: MIT
// The specification that phase 1 synthesises: all serial histories of a test, full ones (A in
// Fig. 5) and stuck ones (B), as a tree. A node is what was called, and returned, so far; an edge
// is one operation more.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "lineup/history.hpp"

namespace plumb::lineup {

/// An operation of a serial history. Stuck: it was called, and never returns; then it is the last.
struct SerialStep {
  int operation;
  ResultId result = 0;
  bool stuck = false;
  bool has(std::optional<ResultId> this_result) const { return !stuck && result == this_result; }
  friend bool operator==(const SerialStep&, const SerialStep&) = default;
};
using SerialHistory = std::vector<SerialStep>;

class SerialHistories {
 public:
  struct Edge {
    SerialStep step;
    int to;  // a node; of a stuck step, none (-1)
  };
  using Node = std::vector<Edge>;

  /// A result that stands for "was not called": of two outcomes one may be this.
  std::optional<ResultId> left_out;

  /// Requires: the history is serial.
  void add(const ObservedHistory& history);
  void add(const SerialHistory& history);

  const Node& node(int number) const { return nodes_[static_cast<std::size_t>(number)]; }
  static constexpr int kRoot = 0;

  /// Two histories whose longest common prefix ends in a call (section 2.1.2): no deterministic
  /// specification has both. `is_allowed(operation)`: that one's outcomes may differ.
  template <class Allowed>
  std::optional<std::pair<SerialHistory, SerialHistory>> nondeterminism(Allowed is_allowed) const {
    for (const auto& [first, second] : forks_) {
      if (!is_allowed(second.back().operation)) return std::pair(first, second);
    }
    return std::nullopt;
  }

  /// Whether the operation has this result somewhere.
  bool has(int operation, ResultId result) const;

  const std::vector<SerialHistory>& full() const { return full_; }
  const std::vector<SerialHistory>& stuck() const { return stuck_; }

 private:
  bool forks(int operation) const;  // such a pair is known

  std::vector<Node> nodes_ = {Node{}};
  std::vector<SerialHistory> full_, stuck_;
  std::vector<std::pair<SerialHistory, SerialHistory>> forks_;  // one an operation
};

SerialHistory to_serial(const ObservedHistory& history);
ObservedHistory to_concurrent(const SerialHistory& serial);

}  // namespace plumb::lineup
