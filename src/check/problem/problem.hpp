// SPDX-License-Identifier: MIT
// A problem: one partition of a history, bound to its specification; what an engine decides.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "plumb/history.hpp"
#include "plumb/specification.hpp"

namespace plumb {

struct Problem {
  struct Op {
    LabelId label = 0;
    std::uint32_t call = 0;          // position in `events`
    std::uint32_t ret = kNone;       // kNone: it did not return, so it may or may not take effect
    OperationId after = kNone;       // must follow this operation even where the two overlap
    OperationId source : 31 = 0;     // the operation of the history
    OperationId judged : 1 = false;  // in a stuck history: pending, so its blocking needs a reason
    bool completed() const { return ret != kNone; }
  };

  const Specification* specification = nullptr;
  std::optional<Value> initial;
  /// A problem cut out of the middle of a history starts in this state instead (see minimise.cpp).
  std::shared_ptr<StateSpace> origin;
  StateId origin_state = 0;
  std::vector<BoundLabel> labels;  // distinct; their arguments live in the history
  std::vector<bool> pure;          // by label
  std::vector<Op> ops;             // in the order of their calls
  std::vector<Event> events;       // of `ops`, in real-time order
  bool stuck = false;              // judged by Line-Up's Definition 2, else by Definition 1

  /// The specification's states, from this problem's initial one.
  std::unique_ptr<StateSpace> make_space() const {
    return origin ? origin->fork(origin_state) : specification->states(initial);
  }
  std::size_t completed() const;
  bool chained() const;  // some operation has `after`
  /// a happens before b
  bool happens_before(OperationId a, OperationId b) const;
  std::size_t bytes() const;
};

/// The problem of only those operations, with the same events in the same order. Operations in
/// `weakened` lose their return (they may then happen at any time after their call, or never).
/// Requires: both ascending, disjoint.
Problem restrict(const Problem& whole, const std::vector<OperationId>& kept,
                 const std::vector<OperationId>& weakened = {});

/// The prefix up to and including the event at `position`; operations that are open there lose
/// their return.
Problem prefix(const Problem& whole, std::uint32_t position);

}  // namespace plumb
