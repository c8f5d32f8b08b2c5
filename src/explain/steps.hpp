// SPDX-License-Identifier: MIT
// Orders of operations, one step after the other, with the specification's state: the witness of a
// history that holds, or of a counterexample its longest partial linearization.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "explain/story.hpp"

namespace plumb::report {

struct OrderStep {
  /// An operation that nothing else keeps from coming next, but whose result the specification
  /// refuses here; and what it could return instead, in words (empty: it blocks).
  struct Refused {
    OperationId operation;
    std::string possible;
  };
  OperationId operation = kNone;  // kNone: behind the last one
  std::string state;              // after it; behind the last one: nothing
  std::vector<Refused> refused;   // in the state before it
};

struct Order {
  std::vector<OperationId> of;   // which operations were to be put in order; empty: all
  std::string initial;           // the state before the first step
  std::vector<OrderStep> steps;  // then one for what is refused behind the last
  std::size_t total = 0;         // operations of the order; `steps` may have only the first
  bool exhaustive = true;        // a longer one does not exist: all were tried
};

/// The order that takes in the most operations that returned (Porcupine calls it partial, too).
/// Of all operations that decide the culprit's result, so that what happens before it can be
/// explained; where there are more than 64, or a cut on the left, of the counterexample's alone.
/// Returns: nothing where the counterexample is too large, or begins in a state of which only an
/// incomplete text is known.
std::optional<Order> longest_order(const Story& story, std::size_t max_steps = 200'000);

/// The first steps of a witness. Requires: it is not empty.
std::optional<Order> replay_order(const History& history,
                                  const std::function<const Specification*(ObjectId)>& of,
                                  const std::optional<Value>& initial,
                                  const std::vector<OperationId>& witness, std::size_t most);

}  // namespace plumb::report
