// SPDX-License-Identifier: MIT
// A few elements of a collection, as a collection of its own.
#pragma once

#include <vector>

#include "check/monitors/collection.hpp"

namespace plumb {

/// Only these elements (ascending) and empty removals; moments are numbered anew.
Collection part_of(const Collection& whole, const CollectionRule& rule,
                   const std::vector<std::uint32_t>& elements,
                   const std::vector<OperationId>& empties);

/// Leaves out elements as long as the others contradict each other all the same.
Conflict shrink(const Collection& whole, const CollectionRule& rule, Conflict conflict);

}  // namespace plumb
