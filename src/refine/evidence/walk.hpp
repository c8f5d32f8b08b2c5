// SPDX-License-Identifier: MIT
// A run of a model, one plain step after the other, by the interpreter and without any reduction:
// what counterexamples are replayed with, and what --simulate does. It remembers the steps in
// words, and the calls and returns as a history.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/code/machine.hpp"
#include "model/syntax/quote.hpp"
#include "plumb/history.hpp"
#include "plumb/result.hpp"
#include "plumb/value.hpp"
#include "refine/search/product.hpp"

namespace plumb::refine {

/// One plain step, as people read it.
struct TraceStep {
  std::uint32_t process = 0;
  model::StepKind kind = model::StepKind::inside;
  std::uint32_t line = 0;  // of the model; 0: a call or a return
  std::string what;        // "call push(1)", "return 2", or the statement
  struct Change {
    std::string variable;
    std::optional<Value> before;  // nothing: it had no value
    Value after;                  // a string: the name of a node, an enumerator, a record

    /// "x = 1" or "x: 0 → 1", with any arrow.
    std::string to_string(std::string_view arrow) const;
  };
  std::vector<Change> changes;
  std::string note;    // what is special: a fault, or that it waits
  std::string effect;  // with linearization points: "takes effect: 2"
};

/// What a step is in words: "call push(1)", "return 2", or the statement. `from`: where the process
/// stands before it.
std::string step_words(const model::Program& program, const model::Quotes& quotes,
                       const model::Point& from, const model::Successor& step);

class Walk {
 public:
  /// The program and its text must outlive it.
  Walk(const model::Program& program, std::string_view text);

  const std::vector<model::Cell>& state() const { return state_; }
  const std::vector<TraceStep>& trace() const { return trace_; }
  /// The fault of the last step; the run ends there.
  const std::optional<model::Fault>& fault() const { return fault_; }

  /// Every step that is possible now.
  std::vector<PlainStep> possible();
  /// Whether, when possible() was called, there would have been more with more nodes.
  bool cut() const { return cut_; }
  /// What a step would be; nothing if it is not possible.
  std::optional<TraceStep> look(PlainStep step);
  Status take(PlainStep step);
  /// The same as the machine sees it; its state and fault mean nothing.
  std::optional<model::Successor> successor(PlainStep step);
  /// The processes that are inside an operation and cannot continue, each with where it stands.
  std::vector<TraceStep> waiting();

  /// What a process is doing, kNone if nothing; and what returned last.
  OperationId operation(std::uint32_t process) const { return operations_[process]; }
  OperationId last_returned() const { return last_; }
  /// "push(1)": the operation that a process is in.
  const std::string& name(std::uint32_t process) const { return names_[process]; }

  /// The history so far. `stuck`: what is pending can never return. Nothing may be asked of the
  /// walk afterwards but its trace.
  Result<History> history(bool stuck);

 private:
  struct Examined {
    TraceStep step;
    model::Successor taken;
    std::vector<model::Cell> next;  // empty: a fault
    std::optional<model::Fault> fault;
  };
  std::optional<Examined> examine(PlainStep step);
  void changes(TraceStep& step, const std::vector<model::Cell>& next) const;

  const model::Program& program_;
  model::Quotes quotes_;
  model::Machine machine_;
  std::vector<model::Cell> state_;
  std::vector<TraceStep> trace_;
  HistoryBuilder builder_;
  std::vector<ProcessId> processes_;
  std::vector<OperationId> operations_;
  std::vector<std::string> names_;
  OperationId made_ = 0, last_ = kNone;
  std::optional<model::Fault> fault_;
  bool cut_ = false;
};

}  // namespace plumb::refine
