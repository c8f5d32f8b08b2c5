// SPDX-License-Identifier: MIT
// Sub-problems. Two ways to make a problem weaker, so that an order of the whole is, after leaving
// out what is not there, an order of the part; hence a part that is a violation convicts the whole:
//
//  * restrict drops operations and weakens others. A weakened operation may happen at any time
//    after its call, or never; if it does, then with the result that it had. (Dropping is for parts
//    that are known to be independent; see minimise.cpp.)
//  * prefix ends the history early. An operation that is open there may have happened already; if
//    it has, then with the result that it returned later. So the earliest prefix that is a
//    violation ends at the first return that no search over the whole history can pass. (An
//    operation that is judged stays so: it has no effect in any prefix either.)
#include "check/problem/problem.hpp"

#include <algorithm>

namespace plumb {
namespace {

enum class Part : std::uint8_t { dropped, kept, weakened };

Problem part_of(const Problem& whole, const std::vector<Part>& parts, std::uint32_t last_event) {
  Problem part;
  part.specification = whole.specification;
  part.initial = whole.initial;
  part.origin = whole.origin;
  part.origin_state = whole.origin_state;
  part.stuck = whole.stuck;
  std::vector<LabelId> label(whole.labels.size(), kNone);
  std::vector<OperationId> number(whole.ops.size(), kNone);
  for (std::uint32_t position = 0; position < whole.events.size() && position <= last_event;
       ++position) {
    const Event event = whole.events[position];
    const OperationId old = event.operation();
    if (parts[old] == Part::dropped || (event.is_return() && parts[old] == Part::weakened))
      continue;
    const auto here = static_cast<std::uint32_t>(part.events.size());
    if (event.is_return()) {
      part.ops[number[old]].ret = here;
    } else {
      number[old] = static_cast<OperationId>(part.ops.size());
      Problem::Op op = whole.ops[old];
      op.call = here;
      op.ret = kNone;
      LabelId& number_of_label = label[op.label];
      if (number_of_label == kNone) {
        number_of_label = static_cast<LabelId>(part.labels.size());
        part.labels.push_back(whole.labels[op.label]);
        part.pure.push_back(whole.pure[op.label]);
      }
      op.label = number_of_label;
      op.judged = op.judged && parts[old] == Part::kept;
      part.ops.push_back(op);
    }
    part.events.emplace_back(number[old], event.is_return());
  }
  // `after` still holds old numbers. The order of a process leads around what is gone.
  for (OperationId old = 0; old < whole.ops.size(); ++old) {
    if (number[old] == kNone) continue;
    OperationId before = parts[old] == Part::kept ? whole.ops[old].after : kNone;
    while (before != kNone && (parts[before] != Part::kept || number[before] == kNone))
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
  std::vector<Part> parts(whole.ops.size(), Part::dropped);
  for (const OperationId op : kept) parts[op] = Part::kept;
  for (const OperationId op : weakened) parts[op] = Part::weakened;
  return part_of(whole, parts, kNone);
}

Problem prefix(const Problem& whole, std::uint32_t position) {
  return part_of(whole, std::vector<Part>(whole.ops.size(), Part::kept), position);
}

}  // namespace plumb
