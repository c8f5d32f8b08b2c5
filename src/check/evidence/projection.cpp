// SPDX-License-Identifier: MIT
// Take a run of a queue and delete a value from it: its enq, its deq, its peeks. The other values
// come and leave in the same order, and whoever found nothing still finds nothing. So the rest is a
// run of a queue too. The same is true of stacks, priority queues and bags, and of a register that
// is only written and read (what reads another value does not read the deleted write). Hence, if a
// history has an order, so has what is left of it without some values; and if that has none, the
// history is a violation. A removal whose result is not known may have taken what was deleted: it
// stays, and need not take effect.
//
// So a violation among ten thousand operations that two values make is one of three operations,
// which any engine refutes at once.
#include "check/evidence/projection.hpp"

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

}  // namespace

Projection::Projection(const Problem& whole, const std::vector<OperationId>& few) {
  const Family family = whole.specification->family();
  applies_ = !few.empty() && !whole.stuck &&
             (kCells.contains(family) || (kCollections.contains(family) && starts_empty(whole)));
  for (const BoundLabel& label : whole.labels)
    applies_ = applies_ && moves_values(family, role_of(whole, label));
  if (!applies_) return;
  for (const OperationId op : few) {
    const BoundLabel& label = whole.labels[whole.ops[op].label];
    sources_.insert(whole.ops[op].source);
    if (!label.args.empty()) values_.insert(label.args.back());
    if (label.known) values_.insert(label.result);
  }
}

std::optional<Problem> Projection::of(const Problem& part) const {
  if (!applies_) return {};
  std::vector<OperationId> kept, weakened;
  for (OperationId id = 0; id < part.ops.size(); ++id) {
    const Problem::Op& op = part.ops[id];
    const BoundLabel& label = part.labels[op.label];
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

}  // namespace plumb
