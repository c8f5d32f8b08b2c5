// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <set>

#include "check/problem/problem.hpp"

namespace plumb {

/// What is left of a problem if all is deleted that has to do with other values than those of a few
/// operations. If that is a violation, so is the problem.
class Projection {
 public:
  /// `few`: operations of `whole`.
  Projection(const Problem& whole, const std::vector<OperationId>& few);

  /// Of `whole`, or of what is left of it where something is forgotten. Empty: it says nothing.
  std::optional<Problem> of(const Problem& part) const;

 private:
  bool applies_ = false;
  std::set<Value> values_;
  std::set<OperationId> sources_;  // of the few
};

}  // namespace plumb
