// SPDX-License-Identifier: MIT
// The independent verifier: is this order really a witness?
//
// A verdict of `holds` is worth what its witness is worth, so every witness is replayed by code
// that shares nothing with the engines: no automaton, no numbered states, only the specification's
// replay. For one order o_1 ... o_k (Line-Up, section 2.1.4; Horn & Kroening, Definition 5):
//
//  1. every completed operation is in it once, every other one at most once;
//  2. it respects happens-before: no later o_j returned before o_i was called, which one pass from
//     the end sees by keeping the earliest return so far; and what a process did first comes first;
//  3. the specification allows it step by step, with the recorded results.
//
// A stuck history has one order for each judged operation e. The judged operations are not in it
// (Line-Up's H[e] removes the others), and after it the specification blocks e.
//
// Linear in the length of the witnesses, apart from the specification's own steps.
#include <algorithm>

#include <fmt/format.h>

#include "check/problem/engine.hpp"

namespace plumb {
namespace {

std::string name(const Problem& problem, OperationId op) {
  const BoundLabel& label = problem.labels[problem.ops[op].label];
  return fmt::format("operation {} ({})", op, problem.specification->methods()[label.method].name);
}

std::string verify_members(const Problem& problem, const std::vector<OperationId>& order,
                           std::vector<std::uint32_t>& place) {
  place.assign(problem.ops.size(), kNone);
  for (std::uint32_t i = 0; i < order.size(); ++i) {
    if (order[i] >= problem.ops.size()) return fmt::format("there is no operation {}", order[i]);
    if (place[order[i]] != kNone) return name(problem, order[i]) + " is in the order twice";
    place[order[i]] = i;
  }
  for (OperationId op = 0; op < problem.ops.size(); ++op) {
    if (problem.ops[op].completed() && place[op] == kNone)
      return name(problem, op) + " returned, but is not in the order";
    if (problem.stuck && problem.ops[op].judged && place[op] != kNone)
      return name(problem, op) + " is stuck, but takes effect in the order";
  }
  return {};
}

std::string verify_happens_before(const Problem& problem, const std::vector<OperationId>& order,
                                  const std::vector<std::uint32_t>& place) {
  OperationId earliest = kNone;  // of the later operations, the one that returned first
  for (auto op = order.rbegin(); op != order.rend(); ++op) {
    const Problem::Op& o = problem.ops[*op];
    if (earliest != kNone && problem.ops[earliest].ret < o.call)
      return fmt::format("{} returned before {} was called, but comes after it",
                         name(problem, earliest), name(problem, *op));
    if (o.completed() && (earliest == kNone || o.ret < problem.ops[earliest].ret)) earliest = *op;
    // Not in the order: place is kNone, larger than any.
    if (o.after != kNone && place[o.after] > place[*op])
      return fmt::format("{} precedes {} in its process, but not in the order",
                         name(problem, o.after), name(problem, *op));
  }
  return {};
}

std::string verify_order(const Problem& problem, const std::vector<OperationId>& order,
                         OperationId stuck) {
  if (auto wrong = verify_sequentialization(problem, order); !wrong.empty()) return wrong;
  const auto replay = problem.specification->replay(problem.initial);
  for (const OperationId op : order)
    if (!replay->apply(problem.labels[problem.ops[op].label]))
      return fmt::format("{} is not allowed in state {}", name(problem, op), replay->print());
  if (stuck != kNone && !replay->blocked(problem.labels[problem.ops[stuck].label]))
    return fmt::format("{} is stuck, but not blocked in state {}", name(problem, stuck),
                       replay->print());
  return {};
}

}  // namespace

std::string verify_sequentialization(const Problem& problem,
                                     const std::vector<OperationId>& order) {
  std::vector<std::uint32_t> place;
  if (auto wrong = verify_members(problem, order, place); !wrong.empty()) return wrong;
  return verify_happens_before(problem, order, place);
}

std::string verify_witness(const Problem& problem, const Answer& answer) {
  if (problem.origin) return "a history that starts in the middle cannot be replayed";
  std::vector<OperationId> judged;
  for (OperationId op = 0; problem.stuck && op < problem.ops.size(); ++op)
    if (problem.ops[op].judged) judged.push_back(op);
  // Nothing is stuck in it, so one order of the whole is wanted.
  if (judged.empty()) judged.push_back(kNone);

  if (answer.witnesses.size() != judged.size())
    return fmt::format("{} orders where there should be {}", answer.witnesses.size(),
                       judged.size());
  for (std::size_t i = 0; i < judged.size(); ++i)
    if (auto wrong = verify_order(problem, answer.witnesses[i], judged[i]); !wrong.empty())
      return wrong;
  return {};
}

}  // namespace plumb
