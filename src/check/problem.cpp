// SPDX-License-Identifier: MIT
// Sub-problems. Two ways to make a problem weaker, so that an order of the whole is, after leaving
// out what is not there, an order of the part; hence a part that is a violation convicts the whole:
//
//  * restrict drops operations and weakens others. A weakened operation may happen at any time
//    after its call, with any result, or never, so it is the part's way to say "something was
//    called here". (Dropping is for parts that are known to be independent; see minimise.cpp.)
//  * prefix ends the history early. An operation that is open there may have happened already; if
//    it has, then with the result that it returned later. So the earliest prefix that is a
//    violation ends at the first return that no search over the whole history can pass. (An
//    operation that is judged stays so: it has no effect in any prefix either.)
#include "problem.hpp"

#include <algorithm>
#include <unordered_map>

namespace plumb {
namespace {

// Collects the labels that are in use, each once.
class LabelTable {
 public:
  LabelTable(const Problem& whole, Problem& part) : whole_(whole), part_(part) {
    known_.assign(whole.labels.size(), kNone);
    unknown_.assign(whole.labels.size(), kNone);
  }

  LabelId with_result(LabelId old) {
    if (!whole_.labels[old].known) return without_result(old);
    if (known_[old] == kNone) known_[old] = add(whole_.labels[old]);
    return known_[old];
  }

  // Labels that differ in their results only become one. Those of a method that returns nothing
  // have nothing to lose.
  LabelId without_result(LabelId old) {
    if (unknown_[old] != kNone) return unknown_[old];
    BoundLabel label = whole_.labels[old];
    if (label.known && whole_.specification->methods()[label.method].returns_nothing)
      return unknown_[old] = with_result(old);
    label.known = false;
    label.result = Value::nil();
    std::uint64_t hash = label.method;
    for (const Value v : label.args) hash = (hash ^ v.hash()) * 0x9e3779b97f4a7c15u;
    const auto [first, last] = by_call_.equal_range(hash);
    const auto found = std::find_if(first, last, [&](const auto& entry) {
      const BoundLabel& other = part_.labels[entry.second];
      return other.method == label.method && std::ranges::equal(other.args, label.args);
    });
    if (found != last) return unknown_[old] = found->second;
    unknown_[old] = add(label);
    by_call_.emplace(hash, unknown_[old]);
    return unknown_[old];
  }

 private:
  LabelId add(const BoundLabel& label) {
    part_.labels.push_back(label);
    part_.pure.push_back(whole_.specification->pure(label));
    return static_cast<LabelId>(part_.labels.size() - 1);
  }

  const Problem& whole_;
  Problem& part_;
  std::vector<LabelId> known_, unknown_;
  std::unordered_multimap<std::uint64_t, LabelId> by_call_;
};

enum class Role : std::uint8_t { dropped, kept, weakened };

Problem part_of(const Problem& whole, const std::vector<Role>& roles, std::uint32_t last_event) {
  Problem part;
  part.specification = whole.specification;
  part.initial = whole.initial;
  part.origin = whole.origin;
  part.origin_state = whole.origin_state;
  part.stuck = whole.stuck;
  part.origin = whole.origin;
  part.origin_state = whole.origin_state;
  LabelTable labels(whole, part);
  std::vector<OperationId> number(whole.ops.size(), kNone);
  for (std::uint32_t position = 0; position < whole.events.size() && position <= last_event;
       ++position) {
    const Event event = whole.events[position];
    const OperationId old = event.operation();
    if (roles[old] == Role::dropped || (event.is_return() && roles[old] == Role::weakened))
      continue;
    const auto here = static_cast<std::uint32_t>(part.events.size());
    if (event.is_return()) {
      part.ops[number[old]].ret = here;
    } else {
      number[old] = static_cast<OperationId>(part.ops.size());
      Problem::Op op = whole.ops[old];
      op.call = here;
      op.ret = kNone;
      op.label = roles[old] == Role::weakened ? labels.without_result(op.label)
                                              : labels.with_result(op.label);
      op.judged = op.judged && roles[old] == Role::kept;
      part.ops.push_back(op);
    }
    part.events.emplace_back(number[old], event.is_return());
  }
  // `after` still holds old numbers. The order of a process leads around what is gone.
  for (OperationId old = 0; old < whole.ops.size(); ++old) {
    if (number[old] == kNone) continue;
    OperationId before = roles[old] == Role::kept ? whole.ops[old].after : kNone;
    while (before != kNone && (roles[before] != Role::kept || number[before] == kNone))
      before = whole.ops[before].after;
    part.ops[number[old]].after = before == kNone ? kNone : number[before];
  }
  return part;
}

}  // namespace

std::size_t Problem::completed() const {
  return static_cast<std::size_t>(
      std::count_if(ops.begin(), ops.end(), [](const Op& op) { return op.completed(); }));
}

bool Problem::chained() const {
  return std::any_of(ops.begin(), ops.end(), [](const Op& op) { return op.after != kNone; });
}

bool Problem::happens_before(OperationId a, OperationId b) const {
  for (OperationId later = b; later != kNone; later = ops[later].after)
    if (ops[a].ret < ops[later].call || ops[later].after == a) return true;
  return false;
}

std::size_t Problem::bytes() const {
  return labels.capacity() * sizeof(BoundLabel) + pure.capacity() / 8 +
         ops.capacity() * sizeof(Op) + events.capacity() * sizeof(Event);
}

Problem restrict(const Problem& whole, const std::vector<OperationId>& kept,
                 const std::vector<OperationId>& weakened) {
  std::vector<Role> roles(whole.ops.size(), Role::dropped);
  for (const OperationId op : kept) roles[op] = Role::kept;
  for (const OperationId op : weakened) roles[op] = Role::weakened;
  return part_of(whole, roles, kNone);
}

Problem prefix(const Problem& whole, std::uint32_t position) {
  return part_of(whole, std::vector<Role>(whole.ops.size(), Role::kept), position);
}

}  // namespace plumb
