// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <vector>

#include "check/problem/partition.hpp"

namespace plumb {

/// One order of the whole history out of one order per part (the locality theorem, Herlihy & Wing):
/// each operation at the earliest point that its part's order allows.
/// Returns: nothing where `after` edges between parts contradict the orders.
std::optional<std::vector<OperationId>> merge_by_real_time(
    const History& history, const Partitioning& parts,
    const std::vector<std::vector<OperationId>>& orders);

/// The same for orders that keep the order of each process, though not real time. Locality does not
/// hold there. Returns: nothing where these orders contradict the order within a process.
std::optional<std::vector<OperationId>> merge_by_process(
    const History& history, const Partitioning& parts,
    const std::vector<std::vector<OperationId>>& orders);

}  // namespace plumb
