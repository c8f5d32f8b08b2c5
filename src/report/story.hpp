// SPDX-License-Identifier: MIT
// A counterexample seen from its culprit: what the sentences and the search for other results ask.
//
// The history ends at the culprit's return: what returns later is still open there, so its result
// is not known (Counterexample::unreturned). In a stuck history the culprit has no return, and the
// whole history counts.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "plumb/check.hpp"

namespace plumb::report {

class Story {
 public:
  Story(const History& history, const Specification& specification,
        const Counterexample& counterexample, std::optional<Value> initial);

  const History& history() const { return history_; }
  const Specification& specification() const { return specification_; }
  const Counterexample& counterexample() const { return counterexample_; }
  std::optional<Value> initial() const { return initial_; }
  const std::vector<OperationId>& operations() const { return counterexample_.operations; }
  OperationId culprit() const { return counterexample_.culprit; }
  /// The culprit never returns, and has no reason to block.
  bool stuck() const { return cut_ == kNone; }

  /// It returned by the time of the culprit's return.
  bool completed(OperationId op) const { return history_.returned(op) && history_.ret[op] <= cut_; }
  bool happens_before(OperationId a, OperationId b) const {
    return completed(a) && history_.happens_before(a, b);
  }
  /// The label, its result hidden if it is not known yet.
  BoundLabel bound(OperationId op) const;
  /// The method's own name in the specification, whatever alias the file uses.
  const Method& method(OperationId op) const;
  bool shown(OperationId op) const;  // among `operations`

  /// Every operation of the whole history that concerns the culprit's object and keys and was
  /// called before the culprit returned: what "nobody" means in a sentence.
  const std::vector<OperationId>& concerned() const { return concerned_; }

  /// "enq(1)", and where several shown operations look like that, "enq(1) (line 7)".
  std::string name(OperationId op) const;
  /// A result as the method calls it: "2", "empty", "ok".
  std::string result(OperationId op, Value value) const;
  /// "deq() returned 2"
  std::string returned(OperationId op) const;
  /// "deq() = 2 (line 7)", "enq(1)"
  std::string outcome(OperationId op) const;

 private:
  /// " (line 7)" where it is needed.
  std::string where(OperationId op) const;

  const History& history_;
  const Specification& specification_;
  const Counterexample& counterexample_;
  std::optional<Value> initial_;
  std::uint32_t cut_;
  std::vector<OperationId> concerned_;
};

}  // namespace plumb::report
