// SPDX-License-Identifier: MIT
// A counterexample seen from its culprit: what the sentences and the search for other results ask.
//
// The history ends at the culprit's return. What returns later is still open there: it may or may
// not have taken effect, but if it has, then with the result that it returned later. In a stuck
// history the culprit has no return, and the whole history counts.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "plumb/check.hpp"

namespace plumb::report {

/// The label as the specification's own; its result is known where it says something.
BoundLabel bound_label(const Specification& specification, const History& history, LabelId label);

class Story {
 public:
  Story(const History& history, const Specification& specification,
        const Counterexample& counterexample, std::optional<Value> initial);

  const History& history() const { return history_; }
  const Specification& specification() const { return specification_; }
  const Counterexample& counterexample() const { return counterexample_; }
  std::optional<Value> initial() const { return initial_; }
  /// Those of the counterexample that were called before the culprit returned.
  const std::vector<OperationId>& operations() const { return operations_; }
  OperationId culprit() const { return counterexample_.culprit; }
  /// The object's states, from where the counterexample begins: the start of the history, or the
  /// state at its cut on the left. Null: that state is not known exactly.
  std::unique_ptr<StateSpace> states() const;
  /// The culprit never returns, and has no reason to block.
  bool stuck() const { return cut_ == kNone; }

  /// It returned by the time of the culprit's return.
  bool completed(OperationId op) const { return history_.returned(op) && history_.ret[op] <= cut_; }
  /// It is pending where nothing happens any more; so it did not take effect.
  bool never_returns(OperationId op) const {
    return history_.stuck && history_.fate[op] == Fate::pending;
  }
  /// By real time, which is what sentences speak of. (Happens-before is more: where clocks overlap,
  /// the operations of one process keep their order.)
  bool returned_before(OperationId a, OperationId b) const {
    return history_.returned(a) && history_.ret[a] < history_.call[b];
  }
  /// The label; its result is known where the file says it, before or after the cut.
  BoundLabel bound(OperationId op) const;
  /// The method's own name in the specification, whatever alias the file uses.
  const Method& method(OperationId op) const;
  bool shown(OperationId op) const;  // among `operations`

  /// Every operation of the whole history that concerns the culprit's object and keys and was
  /// called before the culprit returned: what "nobody" means in a sentence.
  const std::vector<OperationId>& concerned() const { return concerned_; }
  /// ... or is linked to such an operation by further keys: all that decides the culprit's result.
  std::vector<OperationId> linked() const;
  /// Those of `concerned` that are shown.
  const std::vector<OperationId>& shown_concerned() const { return shown_concerned_; }

  /// "enq(1)", and where several shown operations look like that, "enq(1) (line 7)".
  std::string name(OperationId op) const;
  /// A result as the method calls it: "2", "empty", "ok".
  std::string result(OperationId op, Value value) const;
  /// "deq() returned 2"
  std::string returned(OperationId op) const;
  /// "deq() = 2 (line 7)", "enq(1)"
  std::string outcome(OperationId op) const;

 private:
  const std::vector<Value>& keys(OperationId op) const;
  /// " (line 7)" where it is needed.
  std::string where(OperationId op) const;

  const History& history_;
  const Specification& specification_;
  const Counterexample& counterexample_;
  std::optional<Value> initial_;
  std::uint32_t cut_;
  mutable std::vector<std::optional<std::vector<Value>>> keys_;  // by label
  std::vector<OperationId> operations_;
  std::vector<OperationId> here_;  // on the culprit's object, called before it returned
  std::vector<OperationId> concerned_, shown_concerned_;
};

}  // namespace plumb::report
