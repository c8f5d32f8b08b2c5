// SPDX-License-Identifier: MIT
// Order hints. Many systems number what they do: etcd's revision, ZooKeeper's zxid, a Raft index.
// Where the operations of a history carry such numbers, a search has next to nothing to choose: we
// look for an order that follows them first. The order that is found is verified like any other, so
// a wrong hint cannot make a wrong `holds`; and without such an order the question is asked again
// without hints, so it cannot make a wrong `violation` either. It is then reported that the
// system's own numbering is no explanation of what its clients saw.
//
// An operation that changes nothing carries the number of the state that it saw, so several may
// have the same. They follow the last change with a number no larger; changes follow one another.
// Only operations that returned count: whether the others happened is unknown.
#include "check/property/linearizable/hints.hpp"

#include <algorithm>

namespace plumb {
namespace {

std::int64_t hint(const History& history, const Problem& problem, OperationId op) {
  return problem.ops[op].completed() ? history.order[problem.ops[op].source] : History::kNoOrder;
}

}  // namespace

std::optional<Problem> follow_hints(const History& history, const Problem& problem) {
  if (history.order.empty() || problem.stuck || problem.chained()) return std::nullopt;
  std::vector<OperationId> hinted;
  for (OperationId op = 0; op < problem.ops.size(); ++op)
    if (hint(history, problem, op) != History::kNoOrder) hinted.push_back(op);
  if (hinted.size() < 2) return std::nullopt;
  const auto pure = [&](OperationId op) { return problem.pure[problem.ops[op].label]; };
  std::stable_sort(hinted.begin(), hinted.end(), [&](OperationId a, OperationId b) {
    const auto x = hint(history, problem, a), y = hint(history, problem, b);
    return x != y ? x < y : !pure(a) && pure(b);
  });
  Problem result = problem;
  OperationId last_change = kNone;
  for (const OperationId op : hinted) {
    const bool same = last_change != kNone && !pure(op) &&
                      hint(history, problem, op) == hint(history, problem, last_change);
    if (!same) result.ops[op].after = last_change;  // two changes with one number: either first
    if (!pure(op)) last_change = op;
  }
  return result;
}

bool keeps_hints(const History& history, const Problem& problem,
                 const std::vector<OperationId>& order) {
  std::int64_t last = History::kNoOrder;
  for (const OperationId op : order) {
    const std::int64_t here = hint(history, problem, op);
    if (here == History::kNoOrder) continue;
    if (here < last) return false;
    last = here;
  }
  return true;
}

}  // namespace plumb
