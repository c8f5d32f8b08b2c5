// SPDX-License-Identifier: MIT
// Priority queue: the most urgent element leaves first (the largest of pqueue, the smallest of
// pqueue-min).
//
// With unique values (see collection.hpp for l, a, b and r) no two elements are equally urgent. An
// element may leave in a gap iff no more urgent one is inside then. So we take the elements by
// urgency, the most urgent first, and keep the gaps in which one of those taken must be inside:
// x leaves in the first gap from b+1 on that is not covered, or there is none up to r and it is a
// violation; then the gaps from a+1 up to the one before it are covered. A removal that found
// nothing needs a gap that nobody covers.
//
// Greedy is right: to leave as early and to come as late as possible covers the fewest gaps, for
// all less urgent elements at once, and these have no say. In one gap those who leave do so by
// urgency; whoever comes in it and stays longer comes after them.
//
// Removals that did not return: by trial, see collection.hpp. To let them take the most urgent
// element first is wrong (tests/paper/refuted_rules_test.cpp).
//
// A violation is shown by an element (or a removal that found nothing), by those that cover its
// gaps, and by those that cover theirs, from b+1 until they leave; and so on.
//
// O(n) and what it takes to sort the values, beyond reading them.
#include <fmt/format.h>

#include <algorithm>

#include "collection.hpp"
#include "monitors.hpp"

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
  std::vector<const char*> specifications() const override {
    return {largest_first_ ? "pqueue" : "pqueue-min"};
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
  Conflict explain(const Collection& collection, const Element* blocked,
                   const Collection::Empty* empty) const;
  bool largest_first_;
};

// The gap in which it leaves: the first one that is left to it.
std::uint32_t leaving_gap(const Collection& collection, const Element& e, Gaps& covered) {
  return e.stays() ? collection.end + 1 : covered.first_open(e.b + 1);
}

std::optional<Conflict> PriorityQueueRule::find_conflict(const Collection& collection) const {
  Gaps covered(collection.end);
  for (const std::uint32_t i : collection.order) {
    const Element& e = collection.elements[i];
    const std::uint32_t out = leaving_gap(collection, e, covered);
    if (out > e.r) return explain(collection, &e, nullptr);
    covered.cover(e.a + 1, out - 1);
  }
  for (const Collection::Empty& empty : collection.empties)
    if (covered.first_open(empty.call + 1) > empty.ret) return explain(collection, nullptr, &empty);
  return {};
}

Conflict PriorityQueueRule::explain(const Collection& collection, const Element* blocked,
                                    const Collection::Empty* empty) const {
  const auto& elements = collection.elements;
  // As before, but with the first element that covered each gap.
  std::vector<std::uint32_t> owner(collection.end + 1, kNone), out(elements.size());
  Gaps covered(collection.end);
  for (const std::uint32_t i : collection.order) {
    const Element& e = elements[i];
    if (&e == blocked) break;
    out[i] = leaving_gap(collection, e, covered);
    for (std::uint32_t gap = covered.first_open(e.a + 1); gap < out[i];
         gap = covered.first_open(gap + 1))
      owner[gap] = i;
    covered.cover(e.a + 1, out[i] - 1);
  }

  Conflict conflict;
  Gaps explained(collection.end);
  std::vector<std::pair<std::uint32_t, std::uint32_t>> ranges;  // of gaps, to be explained
  if (blocked) ranges.emplace_back(blocked->b + 1, blocked->r);
  else ranges.emplace_back(empty->call + 1, empty->ret);
  std::size_t direct = 0;  // so many cover the gaps of the blocked one itself
  for (std::size_t at = 0; at < ranges.size(); ++at) {
    const auto [first, last] = ranges[at];
    for (std::uint32_t gap = explained.first_open(first); gap <= last;
         gap = explained.first_open(gap)) {
      const std::uint32_t i = owner[gap];
      conflict.elements.push_back(i);
      conflict.needs(elements[i].add);
      explained.cover(elements[i].a + 1, out[i] - 1);
      if (!elements[i].stays()) ranges.emplace_back(elements[i].b + 1, out[i] - 1);
    }
    if (at == 0) direct = conflict.elements.size();
  }
  const std::string by = collection.list(
      {conflict.elements.begin(), conflict.elements.begin() + static_cast<std::ptrdiff_t>(direct)});
  if (empty) {
    conflict.empty = empty->op;
    conflict.needs(empty->op);
    conflict.reason =
        fmt::format("{} found nothing, but {} inside at every moment of it",
                    collection.take_name(empty->op), by + (direct == 1 ? " was" : " were"));
  } else {
    const char* name = collection.take_name(blocked->take);
    const std::string v = collection.value_of(*blocked).to_string();
    conflict.elements.push_back(static_cast<std::uint32_t>(blocked - elements.data()));
    conflict.needs(blocked->take);
    const char* than = largest_first_ ? "larger" : "smaller";
    conflict.reason =
        direct == 1
            ? fmt::format("{} took {} while {}, which is {}, was inside", name, v, by, than)
            : fmt::format("{} took {}, but at every moment of it {}, which are {}, covered it",
                          name, v, by, than);
  }
  return conflict;
}

std::vector<OperationId> PriorityQueueRule::make_order(const Collection& collection) const {
  const std::size_t n = collection.elements.size();
  std::vector<std::uint32_t> in(n), out(n);
  Gaps covered(collection.end);
  for (std::size_t i = 0; i < n; ++i) {
    const Element& e = collection.elements[collection.order[i]];
    out[i] = leaving_gap(collection, e, covered);
    in[i] = std::min(e.a, out[i]);
    covered.cover(e.a + 1, out[i] - 1);
  }
  return weave(collection, collection.order, in, out, covered);
}

}  // namespace

Answer decide_priority_queue(const Problem& problem, Budget& budget, const EngineOptions&) {
  const bool smallest_first = problem.specification == find_specification("pqueue-min");
  return decide_collection(problem, budget, std::make_shared<PriorityQueueRule>(!smallest_first));
}

}  // namespace plumb
