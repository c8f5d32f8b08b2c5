// SPDX-License-Identifier: MIT
// The definitions of regular and safe (reads.cpp) as they stand there, quantifier by quantifier:
// the oracle of the tests, and the second opinion on every violation. Quadratic for one read in the
// worst case, because nothing is remembered.
#include "check/property/registers/reads.hpp"

namespace plumb {
namespace {

class Definition {
 public:
  Definition(const Problem& problem, const Cell& cell) : problem_(problem), cell_(cell) {}

  bool precedes(OperationId a, OperationId b) const {
    return problem_.ops[a].ret < problem_.ops[b].call;
  }
  bool is_write(OperationId op) const {
    return cell_.move(problem_, op).kind == CellMove::Kind::write;
  }
  std::size_t size() const { return problem_.ops.size(); }

  /// w' such that w precedes w' and w' precedes r; w is kNone: the initial value.
  bool overwritten(OperationId w, OperationId r) const {
    for (OperationId between = 0; between < size(); ++between)
      if (is_write(between) && (w == kNone || precedes(w, between)) && precedes(between, r))
        return true;
    return false;
  }
  bool overlaps_a_write(OperationId r) const {
    for (OperationId w = 0; w < size(); ++w)
      if (is_write(w) && !precedes(w, r) && !precedes(r, w)) return true;
    return false;
  }

 private:
  const Problem& problem_;
  const Cell& cell_;
};

}  // namespace

Verdict read_by_definition(ReadProperty property, const Problem& problem, const Cell& cell,
                           OperationId read, Budget* budget) {
  const CellMove& move = cell.move(problem, read);
  if (move.kind != CellMove::Kind::read || !problem.ops[read].completed()) return Verdict::holds;
  const Definition the(problem, cell);
  if (property == ReadProperty::safe && the.overlaps_a_write(read)) return Verdict::holds;
  if (move.from == cell.initial && !the.overwritten(kNone, read)) return Verdict::holds;
  for (OperationId w = 0; w < problem.ops.size(); ++w) {
    // To see whether it was overwritten takes a look at every operation, which is a fast loop.
    if (!the.is_write(w) || cell.move(problem, w).to != move.from) continue;
    if (budget && budget->exhausted(problem.ops.size() / 8)) return Verdict::undecided;
    if (!the.precedes(read, w) && !the.overwritten(w, read)) return Verdict::holds;
  }
  return Verdict::violation;
}

}  // namespace plumb
