// SPDX-License-Identifier: MIT
// Priority queue: the most urgent element leaves first (the largest of pqueue, the smallest of
// pqueue-min).
//
// With elements that can be told apart (see collection.hpp, also for l, a, b and r) no two that are
// inside together are equally urgent. A history is linearizable iff
//
//  1. every element was added once, before it was taken, and taken once;
//  2. no removal is covered: in each gap from b+1 to r of an element, some more urgent one is
//     certainly inside, that is, has the gap in its core;
//  3. no removal that found nothing is covered by cores.
//
// These are necessary. They suffice: take the elements by urgency, the most urgent first, and let
// each leave in the first gap from b+1 on that no core of one taken before covers, and come as late
// as it can, by a. So it is inside in its core and in gaps that were covered anyway: cores are all
// that ever covers a gap, and whoever leaves does so while no more urgent one is inside. (In one
// gap those who leave do so by urgency; whoever comes in it and stays longer comes after them.)
//
// Removals that did not return: by trial, see collection.hpp. To let them take the most urgent
// element first is wrong (tests/paper/refuted_rules_test.cpp).
//
// O(n) and what it takes to sort the values, beyond reading them.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "check/monitors/gaps.hpp"
#include "check/monitors/monitors.hpp"

namespace plumb {
namespace {

// Ascending. Integers, the usual case, by their digits.
std::vector<std::uint32_t> sorted(const std::vector<Value>& values) {
  std::vector<std::uint32_t> order(values.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  if (values.empty()) return order;
  if (!std::all_of(values.begin(), values.end(), [](Value v) { return v.is_integer(); })) {
    std::sort(order.begin(), order.end(),
              [&](std::uint32_t i, std::uint32_t j) { return values[i] < values[j]; });
    return order;
  }
  std::vector<std::uint64_t> keys;
  keys.reserve(values.size());
  for (const Value v : values)
    keys.push_back(static_cast<std::uint64_t>(v.as_integer()) ^ std::uint64_t{1} << 63);
  const auto [least, most] = std::minmax_element(keys.begin(), keys.end());
  const std::uint64_t base = *least, range = *most - *least;
  constexpr unsigned kBits = 11;
  std::vector<std::uint32_t> next(order.size());
  for (unsigned shift = 0; shift < 64 && range >> shift > 0; shift += kBits) {
    std::vector<std::uint32_t> start((1u << kBits) + 1);
    const auto digit = [&](std::uint32_t i) {
      return (keys[i] - base) >> shift & ((1u << kBits) - 1);
    };
    for (const std::uint32_t i : order) ++start[digit(i) + 1];
    for (std::size_t d = 1; d < start.size(); ++d) start[d] += start[d - 1];
    for (const std::uint32_t i : order) next[start[digit(i)]++] = i;
    order.swap(next);
  }
  return order;
}

class PriorityQueueRule : public CollectionRule {
 public:
  explicit PriorityQueueRule(bool largest_first) : largest_first_(largest_first) {}
  const char* engine() const override { return "priority-queue"; }
  Family family() const override {
    return largest_first_ ? Family::max_priority_queue : Family::min_priority_queue;
  }
  void prepare(Collection& collection) const override {
    std::vector<Value> values;
    values.reserve(collection.elements.size());
    for (const Element& e : collection.elements) values.push_back(collection.value_of(e));
    collection.order = sorted(values);
    if (largest_first_) std::reverse(collection.order.begin(), collection.order.end());
  }

  std::optional<Conflict> find_conflict(const Collection& collection) const override;
  std::vector<OperationId> make_order(const Collection& collection) const override;

 private:
  Conflict explain(const Collection& collection, std::uint32_t blocked) const;
  bool largest_first_;
};

std::optional<Conflict> PriorityQueueRule::find_conflict(const Collection& collection) const {
  if (auto conflict = find_covered_empty(collection)) return conflict;
  Gaps covered(collection.end);
  std::uint32_t blocked = kNone;  // of those that are, the first to return
  for (const std::uint32_t i : collection.order) {
    const Element& e = collection.elements[i];
    if (!e.stays() && covered.first_open(e.b + 1) > e.r &&
        (blocked == kNone || e.r < collection.elements[blocked].r))
      blocked = i;
    covered.cover(e.a + 1, std::min(e.b, collection.end));
  }
  if (blocked == kNone) return {};
  return explain(collection, blocked);
}

Conflict PriorityQueueRule::explain(const Collection& collection, std::uint32_t blocked) const {
  const Element& e = collection.elements[blocked];
  std::vector<bool> more_urgent(collection.elements.size());
  for (const std::uint32_t i : collection.order) {
    if (i == blocked) break;
    more_urgent[i] = true;
  }
  Conflict conflict;
  conflict.elements = cover_with_cores(collection, e.b + 1, e.r, &more_urgent);
  for (const std::uint32_t i : conflict.elements) conflict.needs(collection.elements[i].add);
  conflict.needs(e.take);
  const std::string others = collection.list(conflict.elements);
  const char* than = largest_first_ ? "larger" : "smaller";
  const char* words =
      conflict.elements.size() == 1
          ? "{} took {} while {}, which is {}, was inside"
          : "{} took {}, but every moment of it is covered: {}, which are {}, overlap";
  conflict.reason = fmt::format(fmt::runtime(words), collection.take_name(e.take),
                                collection.value_of(e).to_string(), others, than);
  conflict.elements.push_back(blocked);
  return conflict;
}

std::vector<OperationId> PriorityQueueRule::make_order(const Collection& collection) const {
  const std::size_t n = collection.elements.size();
  std::vector<std::uint32_t> in(n), out(n);
  Gaps covered(collection.end);
  for (std::size_t i = 0; i < n; ++i) {
    const Element& e = collection.elements[collection.order[i]];
    out[i] = e.stays() ? collection.end + 1 : covered.first_open(e.b + 1);
    in[i] = std::min(e.a, out[i]);
    covered.cover(e.a + 1, std::min(e.b, collection.end));
  }
  return weave(collection, collection.order, in, out, covered);
}

// 1 and 1.0 are equally urgent, but can be told apart.
bool has_whole_real(Value v) {
  if (v.kind() == Value::Kind::real) return v.as_real() == std::floor(v.as_real());
  return v.is_list() && std::any_of(v.as_list().begin(), v.as_list().end(), has_whole_real);
}

}  // namespace

Answer decide_priority_queue(const Problem& problem, Budget& budget, const EngineOptions&) {
  for (const BoundLabel& label : problem.labels)
    if (std::any_of(label.args.begin(), label.args.end(), has_whole_real))
      return not_for("priority-queue", "whole reals may be as urgent as integers");
  const bool smallest_first = problem.specification->family() == Family::min_priority_queue;
  return decide_collection(problem, budget, std::make_shared<PriorityQueueRule>(!smallest_first));
}

}  // namespace plumb
