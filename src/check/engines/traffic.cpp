// SPDX-License-Identifier: MIT
// Necessary conditions that need no search: follow the values.
//
// Many specifications move values around without looking at them: what a read, a deq or a pop
// returns was there from the start or was written, enqueued or pushed by an operation. Two
// conditions follow, whatever else the object does. In any order, whatever stands before an
// operation that has returned was called before that return; hence at each return,
//
//  1. a value that the operation observed is there from the start or added by another operation
//     that was called by now ("thin air", and "read before it was written");
//  2. of each value, no more copies have been removed by operations that have returned than are
//     there from the start or added by operations that were called by now ("removed twice").
//
// Operations that never return count as adding, never as removing: they may have taken effect.
// An operation does not observe what it adds itself (a cas from v to v needs a v before it).
//
// One pass over the events, O(n + labels). What a label adds, observes and removes is asked of the
// specification once (plumb/specification.hpp, Traffic).
#include <algorithm>

#include "check/problem/engine.hpp"
#include "check/problem/value_numbers.hpp"

namespace plumb {
namespace {

struct Copies {
  std::uint64_t available = 0;  // from the start, or added by operations called so far
  std::uint64_t removed = 0;    // by operations returned so far
};

struct LabelTraffic {
  std::uint32_t adds = kNone, observes = kNone;  // values, numbered
  bool removes = false;
};

// What is needed of v at the return of `culprit`: every other operation may be weakened, for it
// then still adds no more than was counted.
std::vector<OperationId> core_of(const Problem& problem, OperationId culprit, Value v,
                                 bool with_removals) {
  const std::uint32_t now = problem.ops[culprit].ret;
  std::vector<char> takes(problem.labels.size());
  for (LabelId l = 0; with_removals && l < problem.labels.size(); ++l) {
    const Traffic traffic = problem.specification->traffic(problem.labels[l]);
    takes[l] = traffic.removes && traffic.observes == v;
  }
  std::vector<OperationId> core;
  for (OperationId op = 0; op < problem.ops.size(); ++op)
    if (op == culprit || (takes[problem.ops[op].label] && problem.ops[op].ret <= now))
      core.push_back(op);
  return core;
}

}  // namespace

Answer refute_by_traffic(const Problem& problem) {
  Answer answer;
  answer.engine = "traffic";
  answer.reason = "the flow of values is consistent";
  if (problem.stuck) return answer;
  if (problem.origin) return answer;  // what is in that state, only the specification knows
  const auto initial = problem.specification->initial_values(problem.initial);
  if (!initial) return answer;

  ValueNumbers numbers;
  std::vector<Copies> copies;
  const auto number = [&](Value v) {
    const std::uint32_t known = numbers.number(v);
    if (known == copies.size()) copies.emplace_back();
    return known;
  };
  std::vector<LabelTraffic> labels;
  labels.reserve(problem.labels.size());
  for (const BoundLabel& label : problem.labels) {
    const Traffic traffic = problem.specification->traffic(label);
    labels.push_back({traffic.adds ? number(*traffic.adds) : kNone,
                      traffic.observes ? number(*traffic.observes) : kNone, traffic.removes});
  }
  for (const Value v : *initial) ++copies[number(v)].available;

  for (std::uint32_t position = 0; position < problem.events.size(); ++position) {
    const OperationId op = problem.events[position].operation();
    const LabelTraffic& label = labels[problem.ops[op].label];
    if (!problem.events[position].is_return()) {
      if (label.adds != kNone) ++copies[label.adds].available;
      continue;
    }
    ++answer.covered;
    if (label.observes == kNone) continue;
    Copies& v = copies[label.observes];
    if (label.removes) ++v.removed;
    const std::uint64_t own = label.adds == label.observes ? 1 : 0;
    const bool thin_air = v.available == own;
    if (!thin_air && v.removed <= v.available) continue;

    answer.verdict = Verdict::violation;
    --answer.covered;
    answer.failing_event = position;
    const auto observed = problem.specification->traffic(problem.labels[problem.ops[op].label]);
    answer.core = core_of(problem, op, *observed.observes, !thin_air);
    answer.reason =
        thin_air ? "no operation had added " + observed.observes->to_string()
                 : "more copies of " + observed.observes->to_string() + " were removed than added";
    return answer;
  }
  answer.covered = 0;
  return answer;
}

}  // namespace plumb
