// SPDX-License-Identifier: MIT
// The literal definition: the oracle that all other engines are tested against.
//
// Horn & Kroening, Definition 5, and Line-Up, Definitions 1 and 2: a history is linearizable if
// some serial order of its completed operations and of any of its pending ones respects
// happens-before and is allowed by the specification. So we try all orders: place any operation
// whose predecessors are placed, in every way in which the specification allows it, and so on.
// A pending operation is nobody's predecessor; to leave it out is never to place it.
//
// A stuck history asks that, for each judged operation e, of which all other judged ones are
// removed (H[e]; crashed ones stay optional), there be such an order after which e is blocked.
//
// Nothing is remembered and nothing is pruned, because whatever is clever here could be wrong in
// the same way elsewhere. Factorial in the number of operations, hence the limit.
#include <string>

#include "check/problem/engine.hpp"

namespace plumb {
namespace {

constexpr std::size_t kMostOperations = 12;

class Enumeration {
 public:
  Enumeration(const Problem& problem, StateSpace& space, Budget& budget, SearchStats& stats)
      : problem_(problem), space_(space), budget_(budget), stats_(stats) {
    for (OperationId b = 0; b < problem.ops.size(); ++b) {
      predecessors_.push_back(0);
      for (OperationId a = 0; a < problem.ops.size(); ++a)
        if (problem.ops[a].ret < problem.ops[b].call || problem.ops[b].after == a)
          predecessors_[b] |= 1u << a;
      if (problem.ops[b].completed()) completed_ |= 1u << b;
      if (problem.stuck && problem.ops[b].judged) removed_ |= 1u << b;
    }
  }

  /// An order of all completed operations, after which `stuck` (if not kNone) is blocked.
  bool find(OperationId stuck) {
    stuck_ = stuck;
    order_.clear();
    return extend(0, space_.initial());
  }
  const std::vector<OperationId>& order() const { return order_; }

 private:
  bool extend(std::uint32_t placed, StateId state) {
    if ((placed & completed_) == completed_ && (stuck_ == kNone || blocked(state))) return true;
    if (++stats_.steps % 1024 == 0) budget_.exhausted(1024);
    if (budget_.stopped() != Budget::Stop::none) return false;
    for (OperationId op = 0; op < problem_.ops.size(); ++op) {
      const std::uint32_t bit = 1u << op;
      if (((placed | removed_) & bit) || (predecessors_[op] & ~placed)) continue;
      std::vector<StateId> next;
      space_.step(state, problem_.labels[problem_.ops[op].label], next);
      order_.push_back(op);
      for (const StateId s : next)
        if (extend(placed | bit, s)) return true;
      order_.pop_back();
    }
    return false;
  }

  bool blocked(StateId state) {
    std::vector<StateId> next;
    space_.step(state, problem_.labels[problem_.ops[stuck_].label], next);
    return next.empty();
  }

  const Problem& problem_;
  StateSpace& space_;
  Budget& budget_;
  SearchStats& stats_;
  std::vector<std::uint32_t> predecessors_;  // by operation, as a set
  std::uint32_t completed_ = 0, removed_ = 0;
  OperationId stuck_ = kNone;
  std::vector<OperationId> order_;
};

}  // namespace

Answer decide_brute(const Problem& problem, Budget& budget) {
  Answer answer;
  answer.engine = "brute";
  if (problem.ops.size() > kMostOperations) {
    answer.reason = "brute takes at most " + std::to_string(kMostOperations) +
                    " operations; this problem has " + std::to_string(problem.ops.size());
    return answer;
  }
  const auto space = problem.make_space();
  Enumeration orders(problem, *space, budget, answer.stats);
  const auto finish = [&](Verdict verdict) {
    answer.stats.states = space->size();
    answer.stats.bytes = space->bytes();
    if (budget.stopped() == Budget::Stop::none) {
      answer.verdict = verdict;
    } else {
      answer.verdict = Verdict::undecided;
      answer.reason = describe_stop(budget);
    }
    return answer;
  };

  const auto violation = [&] {
    for (std::uint32_t position = 0; position < problem.events.size(); ++position) {
      if (!problem.events[position].is_return()) continue;
      const Problem start = prefix(problem, position);
      if (!Enumeration(start, *space, budget, answer.stats).find(kNone)) {
        answer.failing_event = position;
        break;
      }
      ++answer.covered;
    }
    return finish(Verdict::violation);
  };

  if (!orders.find(kNone)) return violation();
  answer.covered = problem.completed();
  bool some_judged = false;
  for (OperationId op = 0; problem.stuck && op < problem.ops.size(); ++op) {
    if (!problem.ops[op].judged) continue;
    some_judged = true;
    if (!orders.find(op)) {
      answer.witnesses.clear();
      answer.unjustified = op;
      return finish(Verdict::violation);
    }
    answer.witnesses.push_back(orders.order());
  }
  if (!some_judged) answer.witnesses.push_back(orders.order());
  return finish(Verdict::holds);
}

}  // namespace plumb
