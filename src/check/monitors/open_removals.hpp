// SPDX-License-Identifier: MIT
// Which elements may the removals that did not return have taken?
#pragma once

#include <vector>

#include "base/budget.hpp"
#include "check/monitors/collection.hpp"
#include "plumb/verdict.hpp"

namespace plumb {

/// Looks for removals of the elements that stayed. Elements that contradict each other are
/// gathered; assignments are looked for among them alone, and then tried on the whole.
class RemovalAssignment {
 public:
  RemovalAssignment(Collection& whole, const CollectionRule& rule, Budget& budget)
      : whole_(whole), rule_(rule), budget_(budget),
        patience_(10'000'000 + 64 * std::uint64_t{whole.elements.size()}) {}

  /// The whole collection has the assignment if it holds.
  Verdict run();
  const std::vector<std::uint32_t>& gathered() const { return gathered_; }
  const std::vector<OperationId>& empties() const { return empties_; }

 private:
  bool patient(const Collection& collection);
  void find_alike();
  Verdict fit();

  Collection& whole_;
  Collection part_;
  const CollectionRule& rule_;
  Budget& budget_;
  std::uint64_t patience_;  // so many elements may still be looked at
  std::vector<std::uint32_t> gathered_;
  std::vector<OperationId> empties_;
  std::vector<bool> used_;  // by open removal
  std::vector<std::uint32_t> alike_;
};

/// Gives elements in the order of their adds to the open removals in the order of their calls.
/// Returns: those that stayed before, by a.
std::vector<std::uint32_t> serve_in_order(Collection& collection);

}  // namespace plumb
