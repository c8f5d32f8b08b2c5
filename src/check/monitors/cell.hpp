// SPDX-License-Identifier: MIT
// A problem as moves on one cell: what register, array (one index) and map (one key, only get and
// put) have in common, and all that the register monitors look at.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "check/problem/problem.hpp"

namespace plumb {

using CellValue = std::uint32_t;  // values, numbered from 0

struct CellMove {
  enum class Kind : std::uint8_t {
    read,   // saw `from` (also a cas from a value to itself that succeeded)
    write,  // put `to`
    cas,    // saw `from`, put `to`, another value
    miss,   // a failed cas: saw something else than `from`
    any,    // a read that does not say what it saw
  };
  Kind kind = Kind::any;
  CellValue from = kNone, to = kNone;
  bool changes() const { return kind == Kind::write || kind == Kind::cas; }
};

struct Cell {
  std::vector<CellMove> moves;  // by label
  std::vector<Value> values;
  CellValue initial = 0;
  std::string reason;  // why the problem is not one; empty: it is
  std::optional<Value> key;

  const CellMove& move(const Problem& problem, OperationId op) const {
    return moves[problem.ops[op].label];
  }
};

Cell as_cell(const Problem& problem);

/// Why the operations that put a value are not totally ordered in real time, or are more than
/// writes; empty: they are a single writer's, whichever process made them.
std::string why_not_single_writer(const Problem& problem);

const std::string& method_name(const Problem& problem, OperationId op);

/// "write(1)", "cas(1, 2)", "the read of 1"
std::string in_words(const Problem& problem, const Cell& cell, OperationId op);

/// How many operations returned before this position of the events.
std::uint64_t returns_before(const Problem& problem, std::uint32_t position);

}  // namespace plumb
