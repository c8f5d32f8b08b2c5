// SPDX-License-Identifier: MIT
// What lazy monitors share: one pass over the events in which an operation takes effect at its call
// if it can, and at its return at the latest. Who makes it happen, and why that is right, is each
// monitor's own.
#pragma once

#include "check/monitors/monitors.hpp"

namespace plumb {

/// `Derived` has called(op), and returned(op): false if nothing explains that return.
template <class Derived>
class LazyPass {
 public:
  /// Returns: the position of the first return that nothing explains, or the number of events;
  /// less, if the budget says so.
  std::uint32_t run(Budget& budget, std::vector<OperationId>* order = nullptr) {
    order_ = order;
    auto& self = static_cast<Derived&>(*this);
    const auto end = static_cast<std::uint32_t>(problem_.events.size());
    for (std::uint32_t position = 0; position < end; ++position) {
      if (position % 8192 == 8191 && budget.exhausted(8192)) return position;
      const Event event = problem_.events[position];
      if (!event.is_return()) self.called(event.operation());
      else if (!self.returned(event.operation())) return position;
      else ++covered_;
    }
    return end;
  }

  std::uint64_t covered() const { return covered_; }

 protected:
  explicit LazyPass(const Problem& problem) : problem_(problem), done_(problem.ops.size()) {}

  void commit(OperationId op) {
    done_[op] = 1;
    if (order_) order_->push_back(op);
  }

  const Problem& problem_;
  std::vector<char> done_;  // by operation: has taken effect

 private:
  std::vector<OperationId>* order_ = nullptr;
  std::uint64_t covered_ = 0;
};

/// Decides by one pass; a second one makes the order on demand. `Pass` is made of a
/// problem and of what its labels mean, which `read` finds out.
/// `explain(answer, meaning, pass)` says why nothing explains the return at `failing_event`.
template <class Pass, class Read, class Explain>
Answer decide_lazily(const char* engine, const Problem& problem, Budget& budget, Read read,
                     Explain explain) {
  const auto meaning = read(problem);
  if (!meaning.reason.empty()) return not_for(engine, meaning.reason);
  Answer answer;
  answer.engine = engine;
  Charge charge(budget);
  Pass pass(problem, meaning);
  const bool granted = charge.hold(pass.bytes());
  const std::uint32_t reached = granted ? pass.run(budget) : 0;
  answer.covered = pass.covered();
  answer.stats.steps = pass.steps();
  answer.stats.configurations = 1;
  answer.stats.states = pass.states();
  answer.stats.bytes = pass.bytes();
  charge.hold(answer.stats.bytes);
  if (budget.stopped() != Budget::Stop::none) {
    answer.reason = describe_stop(budget);
  } else if (reached < problem.events.size()) {
    answer.verdict = Verdict::violation;
    answer.failing_event = reached;
    explain(answer, meaning, pass);
  } else {
    answer.verdict = Verdict::holds;
    answer.prove = [&problem, read] {
      std::vector<OperationId> order;
      order.reserve(problem.ops.size());
      Budget unlimited;
      const auto again = read(problem);
      Pass(problem, again).run(unlimited, &order);
      return order;
    };
  }
  return answer;
}

}  // namespace plumb
