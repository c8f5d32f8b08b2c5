// SPDX-License-Identifier: MIT
// FIFO queue: the oldest element leaves first.
//
// With elements that can be told apart (see collection.hpp, also for l, a, b and r) a history is
// linearizable iff
//
//  1. every element was enqueued once, before it was dequeued, and dequeued once;
//  2. no two elements x and y were enqueued x before y (a(x) < l(y)) and dequeued y before x
//     (r(y) < b(x); an element that stays is dequeued after all others);
//  3. no dequeue that found nothing is covered: in each gap of it some element is certainly inside.
//
// These are the patterns of Bouajjani, Emmi, Enea and Hamza (ICALP 2015). They are necessary. They
// suffice, because this makes an order of the elements: of those that are left take the one with
// the least a, call it x, unless the one with the least r, call it y, was dequeued before it
// (r(y) < b(x)); then take y. No other must come before x, for no other enqueue returned before
// x's was called; and none before y, for y was not enqueued after x (by 2), hence after none.
// Now let every element come as late and leave as early as this order allows: out is the maximum of
// b+1 so far, in the minimum of a from here on, or out if that is earlier. A gap between in and out
// is covered: if it lies after a(w) and not after b(u), where u stands before w, but neither has it
// in its core, then b(w) and the gap lie before a(u). So u was not taken as the least a, but as the
// least r because it left before the then least a, x; and the core of x has the gap in it.
//
// Dequeues that did not return: the i-th of them to be called takes the i-th element to be enqueued
// of those that stayed. That leaves the fewest of them inside in all gaps (see bag.cpp); to let an
// older element leave earlier never hurts a younger one.
//
// O(n) beyond reading the values: moments are positions, so nothing needs sorting.
#include <fmt/format.h>

#include <algorithm>

#include "check/monitors/gaps.hpp"
#include "check/monitors/monitors.hpp"

namespace plumb {
namespace {

class QueueRule : public CollectionRule {
 public:
  const char* engine() const override { return "queue"; }
  Family family() const override { return Family::queue; }
  bool first_come_first_served() const override { return true; }
  std::optional<Conflict> find_conflict(const Collection& collection) const override;
  std::vector<OperationId> make_order(const Collection& collection) const override;
};

std::optional<Conflict> QueueRule::find_conflict(const Collection& collection) const {
  if (auto conflict = find_covered_empty(collection)) return conflict;
  const auto& elements = collection.elements;
  const std::vector<std::uint32_t> enqueued = by_moment(collection, &Element::a);
  std::uint32_t now = 0, last = kNone, first = kNone, second = kNone;
  for (std::uint32_t y = 0; y < elements.size(); ++y) {
    for (; now < elements[y].l; ++now) {  // `last`: to be dequeued, of those enqueued before y
      const std::uint32_t x = enqueued[now];
      if (x != kNone && (last == kNone || elements[x].b > elements[last].b)) last = x;
    }
    if (last == kNone || elements[last].b < elements[y].r) continue;
    if (second == kNone || elements[y].r < elements[second].r) first = last, second = y;
  }
  if (second == kNone) return {};
  const Element &x = elements[first], &y = elements[second];
  const std::string v = collection.value_of(x).to_string();
  Conflict conflict;
  conflict.elements = {first, second};
  conflict.needs(x.add);
  conflict.needs(y.take);
  conflict.reason = fmt::format("{0} was enqueued before {1}, but {1} was dequeued {2}", v,
                                collection.value_of(y).to_string(),
                                x.stays() ? "while " + v + " was inside" : "before " + v);
  return conflict;
}

std::vector<OperationId> QueueRule::make_order(const Collection& collection) const {
  const auto& elements = collection.elements;
  const auto n = static_cast<std::uint32_t>(elements.size());
  std::vector<std::uint32_t> line, in(n), out(n);
  line.reserve(n);
  {
    const auto by_a = by_moment(collection, &Element::a);
    auto by_r = by_moment(collection, &Element::r);
    for (std::uint32_t i = 0; i < n; ++i)
      if (elements[i].r == collection.end) by_r.push_back(i);  // taken, but by whom did not return
    std::vector<bool> taken(n);
    const auto skip = [&](const std::vector<std::uint32_t>& list, std::uint32_t& at) {
      while (at < list.size() && (list[at] == kNone || taken[list[at]])) ++at;
    };
    for (std::uint32_t a = 0, r = 0; line.size() < n;) {
      skip(by_a, a);
      skip(by_r, r);
      const std::uint32_t x = by_a[a];
      const bool overtaken = r < by_r.size() && elements[by_r[r]].r < elements[x].b;
      line.push_back(overtaken ? by_r[r] : x);
      taken[line.back()] = true;
    }
  }
  for (std::uint32_t i = 0, latest = 0; i < n; ++i)
    out[i] = latest = std::max(latest, elements[line[i]].b + 1);
  for (std::uint32_t i = n, earliest = collection.end; i-- > 0;) {
    earliest = std::min(earliest, elements[line[i]].a);
    in[i] = std::min(earliest, out[i]);
  }
  Gaps covered = cores_of(collection);
  return weave(collection, line, in, out, covered);
}

}  // namespace

Answer decide_queue(const Problem& problem, Budget& budget, const EngineOptions&) {
  return decide_collection(problem, budget, std::make_shared<QueueRule>());
}

}  // namespace plumb
