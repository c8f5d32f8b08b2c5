// SPDX-License-Identifier: MIT
// Does a serial history explain a concurrent one?
//
// A serial witness S of H has the same operations with the same results, each thread's in its
// order, and keeps the order of operations that do not overlap (Line-Up, section 2.1.4).
#pragma once

#include <optional>
#include <vector>

#include "lineup/history.hpp"
#include "lineup/matrix.hpp"
#include "lineup/serial.hpp"

namespace plumb::lineup {

/// Operations of a history that may have done nothing (relaxed.hpp): in serial histories they have
/// the result `left_out`.
struct Leniency {
  std::vector<bool> operations;  // by cell; empty: none
  ResultId left_out = 0;

  bool allows(const SerialStep& step) const {
    return !operations.empty() && step.result == left_out &&
           operations[static_cast<std::size_t>(step.operation)];
  }
};

/// What the definitions ask of a concurrent history, whose operations are those of a test.
class Witness {
 public:
  Witness(const Matrix& test, const ObservedHistory& history, Leniency leniency = {});

  /// Of a full history (Definition 1): an order, from the tree.
  std::optional<SerialHistory> find(const SerialHistories& serial) const;

  /// Of a stuck history, for one of its pending operations (Definition 2): all that returned, and
  /// then this one, which blocks.
  std::optional<SerialHistory> find_stuck(const SerialHistories& serial, int pending) const;

  /// Definition 1 for a stuck history: as if the pending operations had been called only; each may
  /// have taken effect or not.
  std::optional<SerialHistory> find_classic(const SerialHistories& serial) const;

  const std::vector<int>& pending() const { return pending_; }

  /// The same questions, answered by looking at one serial history after the other, as in the
  /// paper: the second opinion.
  bool is_witness(const SerialHistory& serial, std::optional<int> pending) const;

  /// A serial history that respects the order of operations, and agrees with as many results as
  /// possible; `differs` are the operations that have another result there, or that block there, or
  /// that do not.
  struct Nearest {
    SerialHistory serial;
    std::vector<int> differs;
  };
  std::optional<Nearest> nearest(const SerialHistories& serial, std::optional<int> pending) const;

 private:
  struct Operation {
    int number;
    int thread;
    int called, returned;  // positions; never: kNever
    ResultId result;
  };
  static constexpr int kNever = 1 << 30;
  struct Search;
  bool agrees(const Operation& operation, const SerialStep& step) const;

  std::vector<std::vector<Operation>> threads_;
  std::vector<int> pending_;
  Leniency leniency_;
};

}  // namespace plumb::lineup
