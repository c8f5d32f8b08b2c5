// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <set>

#include "check/problem/problem.hpp"

namespace plumb {

/// What is left of a problem if all is deleted that has to do with other values, or other keys,
/// than those of a few operations. If that is a violation, so is the problem.
class Projection {
 public:
  /// `few`: operations of `whole` that suffice for a violation. Where no engine named any,
  /// `culprit` is the one whose return no order explains, or kNone.
  Projection(const Problem& whole, const std::vector<OperationId>& few,
             OperationId culprit = kNone);

  /// Of `whole`, or of what is left of it where something is forgotten. Empty: it says nothing.
  std::optional<Problem> of(const Problem& part) const;

 private:
  Problem by_value(const Problem& part) const;
  std::optional<Problem> by_key(const Problem& part) const;

  bool has_values_ = false;
  std::set<Value> values_;
  std::set<OperationId> sources_;  // of the few
  std::set<Value> keys_;           // where there are no values; empty: it says nothing
};

}  // namespace plumb
