// SPDX-License-Identifier: MIT
// Regular and safe: properties that judge each read of a register by itself.
#pragma once

#include <string>
#include <vector>

#include "base/budget.hpp"
#include "check/monitors/cell.hpp"
#include "check/problem/problem.hpp"
#include "plumb/verdict.hpp"

namespace plumb {

enum class ReadProperty { regular, safe };

/// Where a read got its value from: a write, or one of these.
inline constexpr OperationId kInitialValue = kNone - 1, kAnything = kNone - 2;

struct ReadsAnswer {
  Verdict verdict = Verdict::undecided;
  std::string reason;
  /// holds: by operation, where its value comes from; kNone: not a read that is judged.
  std::vector<OperationId> from;
  OperationId culprit = kNone;     // violation: the first read to return that has no such write
  OperationId stale = kNone;       // of the writes of its value the last to return, if there is one
  OperationId overwriter = kNone;  // called after those had returned, over before the culprit
  std::uint64_t stale_writes = 0;  // so many writes of its value
  std::uint64_t covered = 0;       // returns before the culprit's
  std::vector<CellValue> possible;  // what the culprit could have returned, distinct
};

/// Requires: the moves are reads and writes only.
ReadsAnswer decide_reads(ReadProperty property, const Problem& problem, const Cell& cell,
                         Budget& budget);

/// Whether every completed read is in the map, with a write that justifies it. Shares nothing with
/// decide_reads. Returns: empty, or what is wrong.
std::string verify_reads_from(ReadProperty property, const Problem& problem, const Cell& cell,
                              const std::vector<OperationId>& from);

/// The definition, quantifier by quantifier, of one read: quadratic. `budget` may be null; if it is
/// exhausted, the answer is `undecided`.
Verdict read_by_definition(ReadProperty property, const Problem& problem, const Cell& cell,
                           OperationId read, Budget* budget);

}  // namespace plumb
