// SPDX-License-Identifier: MIT
// A good guess at the order of a relaxed queue's operations.
#pragma once

#include <optional>

#include "check/problem/problem.hpp"
#include "check/property/quasi/relaxation.hpp"

namespace plumb::quasi {

/// One order of the enqs and one of the deqs, both likely to be right.
class ValueOrder {
 public:
  /// Nothing: it is no queue's, an element is added or removed twice, processes have orders of
  /// their own, or no order is near enough.
  static std::optional<ValueOrder> guess(const Problem& problem, const Specification& plain,
                                         Relaxation relaxation, const Factors& factors);

  /// The problem with these orders: if it holds, so does the problem, by the same witness; if not,
  /// nothing is said.
  Problem follow(const Problem& problem) const;

  /// The orders failed at this event: leaves open what is around it. Returns: whether to try again.
  bool loosen(const Problem& problem, std::uint32_t event);

 private:
  std::vector<OperationId> orders_[2];
  std::vector<bool> loose_;  // by operation: in no order
  std::uint32_t failed_ = 0, width_ = 0, tries_ = 0;
};

}  // namespace plumb::quasi
