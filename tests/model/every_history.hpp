// SPDX-License-Identifier: MIT
// An oracle: every interleaving of plain steps of a model whose clients make a bounded number of
// calls and whose code has no loops, and the history of each that cannot go on, stuck or not.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <unordered_set>
#include <vector>

#include "model/code/machine.hpp"
#include "plumb/check.hpp"

namespace plumb::refine {

/// A call or a return in a run of a model.
struct RunEvent {
  bool call;
  std::uint32_t process;
  model::CallNumber number;  // the call, or the operation that returns
  model::Cell result;
  auto operator<=>(const RunEvent&) const = default;
};

History history_of(const model::Program& program, const std::vector<RunEvent>& events, bool stuck);

class EveryHistory {
 public:
  /// Returns whether to go on.
  using Visit = std::function<bool(const History&)>;
  EveryHistory(const model::Program& program, Visit visit)
      : program_(program), machine_(program), visit_(std::move(visit)) {
    step(machine_.initial());
  }
  /// States of the model, each as often as there are histories that lead to it.
  std::size_t states() const { return seen_.size(); }

 private:
  void step(const std::vector<model::Cell>& state);
  void judge(const std::vector<model::Cell>& state);
  bool is_new(const std::vector<model::Cell>& state);

  const model::Program& program_;
  model::Machine machine_;
  Visit visit_;
  std::vector<RunEvent> events_;
  std::unordered_set<std::string> seen_;  // the bytes of a state and of the events that led to it
  std::set<std::vector<RunEvent>> histories_;
  bool going_on_ = true;
};

/// Whether check() says so of each.
bool every_history_holds(const model::Program& program, const CheckOptions& options);

}  // namespace plumb::refine
