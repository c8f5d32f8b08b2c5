// SPDX-License-Identifier: MIT
// Is an execution conflict-serializable? (Papadimitriou 1979; as a dynamic check: Farzan and
// Madhusudan, CAV 2008, and Velodrome, Flanagan, Freund and Yi, PLDI 2008.) Line-Up is compared
// with it in its section 5.6.
//
// Operations are transactions. Two accesses conflict if they touch the same memory and one of them
// writes; atomics are accesses like others, and taking or giving back a lock writes it. The
// conflict graph has an edge from one transaction to another if an access of the first conflicts
// with a later one of the second, or if one thread makes both, in this order. The execution is
// serializable, that is, a serial one has all conflicting accesses in the same order, if and only
// if the graph has no cycle.
//
// A cycle says nothing about results: a compare-and-swap that fails and is tried again makes one,
// and does no harm.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "explore/strategy.hpp"

namespace plumb::explore {

/// An access of an execution, in the order in which they happened.
struct Accessed {
  Access access;
  bool is_new = false;  // no access: the memory was allocated just now, and what was done to the
                        // block there before does not conflict with what will be
  std::uint8_t thread = 0;
  std::int32_t operation = -1;   // -1: done outside of operations, a transaction by itself
  std::int32_t transaction = 0;  // numbered by their first access
  std::int32_t line = -1;        // of the trace, in an execution that is shown
};

/// An edge: the first access conflicts with the second; or their thread is the same.
struct Conflict {
  Accessed first, second;
};

class ConflictGraph {
 public:
  /// Requires: the accesses live as long as this.
  explicit ConflictGraph(std::span<const Accessed> accesses);

  bool has_cycle() const;
  /// With as few transactions as possible; each edge begins where the one before it ends.
  std::vector<Conflict> shortest_cycle() const;

 private:
  struct Edge {
    std::int32_t from, to;        // transactions
    std::uint32_t second, first;  // accesses
    friend auto operator<=>(const Edge&, const Edge&) = default;
  };
  void order_threads();
  void order_conflicts();
  std::span<const Edge> edges_from(std::int32_t transaction) const;

  std::span<const Accessed> accesses_;
  std::vector<Edge> edges_;           // sorted; one for each pair of transactions
  std::vector<std::uint32_t> begin_;  // of each transaction's edges; then the end
};

}  // namespace plumb::explore
