// SPDX-License-Identifier: MIT
// Take a run of a queue and delete a value from it: its enq, its deq, its peeks. The other values
// come and leave in the same order, and whoever found nothing still finds nothing. So the rest is a
// run of a queue too. The same is true of stacks, priority queues and bags, and of a register that
// is only written and read (what reads another value does not read the deleted write). Hence, if a
// history has an order, so has what is left of it without some values; and if that has none, the
// history is a violation. A removal whose result is not known may have taken what was deleted: it
// stays, and need not take effect. What changes nothing, and is none of these operations (a size),
// can be deleted from any run, whatever it returned.
//
// So a violation among ten thousand operations that two values make is one of three operations,
// which any engine refutes at once.
//
// Elsewhere keys may do: delete from a run of a map what changes nothing and has no key (its size),
// and then what has to do with other keys. Operations on different keys do not affect each other:
// so says the specification, and so histories are partitioned. If an operation that changes
// something has no key, or others as well, nothing is said. Where no engine named the few, the keys
// are those of the operation that no order explains: a guess, which costs no more than a test.
#include "check/evidence/projection.hpp"

#include <algorithm>

#include "spec/families.hpp"

namespace plumb {
namespace {

Role role_of(const Problem& problem, const BoundLabel& label) {
  return problem.specification->methods()[label.method].role;
}

// Nothing that is there from the start would have to be deleted.
bool starts_empty(const Problem& problem) {
  const auto content = initial_content(*problem.specification, problem.initial);
  return !problem.origin && content && content->empty();
}

bool moves(const Problem& problem, const BoundLabel& label) {
  return moves_values(problem.specification->family(), role_of(problem, label));
}

// Or change nothing.
bool all_move_values(const Problem& problem) {
  for (LabelId id = 0; id < problem.labels.size(); ++id)
    if (!problem.pure[id] && !moves(problem, problem.labels[id])) return false;
  return true;
}

}  // namespace

Projection::Projection(const Problem& whole, const std::vector<OperationId>& few,
                       OperationId culprit) {
  if (whole.stuck) return;
  const Family family = whole.specification->family();
  has_values_ = !few.empty() &&
                (kCells.contains(family) || (kCollections.contains(family) && starts_empty(whole)));
  has_values_ = has_values_ && all_move_values(whole);
  const auto add_keys = [&](OperationId op) {
    for (const Value key : whole.specification->keys(whole.labels[whole.ops[op].label]))
      keys_.insert(key);
  };
  for (const OperationId op : few) {
    if (!has_values_) {
      add_keys(op);
      continue;
    }
    const BoundLabel& label = whole.labels[whole.ops[op].label];
    sources_.insert(whole.ops[op].source);
    if (!label.args.empty()) values_.insert(label.args.back());
    if (label.known) values_.insert(label.result);
  }
  if (few.empty() && culprit != kNone) add_keys(culprit);
}

std::optional<Problem> Projection::of(const Problem& part) const {
  // A forgotten operation may have changed something, although the operation did not.
  if (has_values_) return all_move_values(part) ? std::optional(by_value(part)) : std::nullopt;
  return keys_.empty() ? std::nullopt : by_key(part);
}

Problem Projection::by_value(const Problem& part) const {
  std::vector<OperationId> kept, weakened;
  for (OperationId id = 0; id < part.ops.size(); ++id) {
    const Problem::Op& op = part.ops[id];
    const BoundLabel& label = part.labels[op.label];
    if (!moves(part, label)) continue;
    const Role role = role_of(part, label);
    if (role == Role::adds || role == Role::writes) {
      if (values_.count(label.args.back())) kept.push_back(id);
    } else if (!label.known) {
      if (role == Role::takes) (op.completed() ? weakened : kept).push_back(id);
    } else if (label.result.is_nil() ? sources_.count(op.source) : values_.count(label.result)) {
      kept.push_back(id);
    }
  }
  return restrict(part, kept, weakened);
}

std::optional<Problem> Projection::by_key(const Problem& part) const {
  std::vector<bool> is_kept;  // by label
  for (LabelId id = 0; id < part.labels.size(); ++id) {
    const std::vector<Value> keys = part.specification->keys(part.labels[id]);
    const auto inside = static_cast<std::size_t>(
        std::count_if(keys.begin(), keys.end(), [&](Value key) { return keys_.count(key) > 0; }));
    is_kept.push_back(!keys.empty() && inside == keys.size());
    const bool is_elsewhere = !keys.empty() && inside == 0;
    if (!is_kept.back() && !is_elsewhere && !part.pure[id]) return {};
  }
  std::vector<OperationId> kept;
  for (OperationId op = 0; op < part.ops.size(); ++op)
    if (is_kept[part.ops[op].label]) kept.push_back(op);
  return restrict(part, kept);
}

}  // namespace plumb
