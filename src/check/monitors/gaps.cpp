// SPDX-License-Identifier: MIT
#include "check/monitors/gaps.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace plumb {

void Gaps::cover(std::uint32_t first, std::uint32_t last) {
  if (first > last) return;
  const std::uint64_t all = ~std::uint64_t{0};
  const std::uint64_t from = all << first % 64, to = all >> (63 - last % 64);
  if (first / 64 == last / 64) return put(first / 64, from & to);
  put(first / 64, from);
  for (std::uint32_t w = find(first / 64 + 1); w < last / 64; w = find(w + 1)) put(w, all);
  put(last / 64, to);
}

Gaps cores_of(const Collection& collection) {
  Gaps gaps(collection.end);
  for (const Element& e : collection.elements) gaps.cover(e.a + 1, std::min(e.b, collection.end));
  return gaps;
}

std::vector<std::uint32_t> cover_with_cores(const Collection& collection, std::uint32_t first,
                                            std::uint32_t last, const std::vector<bool>* among) {
  const auto& elements = collection.elements;
  std::vector<std::uint32_t> candidates, chosen;
  for (std::uint32_t i = 0; i < elements.size(); ++i)
    if (elements[i].has_core() && elements[i].a < last && elements[i].b >= first &&
        (!among || (*among)[i]))
      candidates.push_back(i);
  std::sort(candidates.begin(), candidates.end(),
            [&](std::uint32_t i, std::uint32_t j) { return elements[i].a < elements[j].a; });
  auto next = candidates.begin();
  while (first <= last && next != candidates.end()) {
    std::uint32_t furthest = *next;
    for (; next != candidates.end() && elements[*next].a < first; ++next)
      if (elements[*next].b > elements[furthest].b) furthest = *next;
    chosen.push_back(furthest);
    first = elements[furthest].b + 1;
  }
  return chosen;
}

std::optional<Conflict> find_covered_empty(const Collection& collection) {
  if (collection.empties.empty()) return {};
  Gaps covered = cores_of(collection);
  const Collection::Empty* found = nullptr;
  for (const Collection::Empty& empty : collection.empties)
    if (covered.first_open(empty.call + 1) > empty.ret && (!found || empty.ret < found->ret))
      found = &empty;
  if (!found) return {};
  Conflict conflict;
  conflict.empty = found->op;
  conflict.elements = cover_with_cores(collection, found->call + 1, found->ret);
  conflict.needs(found->op);
  for (const std::uint32_t i : conflict.elements) conflict.needs(collection.elements[i].add);
  conflict.reason =
      conflict.elements.size() == 1
          ? fmt::format("{} found nothing while {} was inside", collection.take_name(found->op),
                        collection.list(conflict.elements))
          : fmt::format("{} found nothing, but every moment of it is covered: {} overlap",
                        collection.take_name(found->op), collection.list(conflict.elements));
  return conflict;
}

std::vector<std::uint32_t> by_moment(const Collection& collection, std::uint32_t Element::*what) {
  std::vector<std::uint32_t> elements(collection.end, kNone);
  for (std::uint32_t i = 0; i < collection.elements.size(); ++i)
    if (const std::uint32_t moment = collection.elements[i].*what; moment < collection.end)
      elements[moment] = i;
  return elements;
}

std::vector<OperationId> weave(const Collection& collection,
                               const std::vector<std::uint32_t>& elements,
                               const std::vector<std::uint32_t>& in,
                               const std::vector<std::uint32_t>& out, Gaps& covered) {
  // For each gap a list of indices, in order.
  struct Lists {
    Lists(std::uint32_t gaps, std::size_t size) : first(gaps, kNone), next(size) {}
    void push_front(std::uint32_t gap, std::uint32_t i) { next[i] = first[gap], first[gap] = i; }
    std::vector<std::uint32_t> first, next;
  };
  const std::uint32_t gaps = collection.end + 1;
  const auto n = static_cast<std::uint32_t>(elements.size());
  const auto m = static_cast<std::uint32_t>(collection.empties.size());
  Lists coming(gaps, n), leaving(gaps, n), finding_nothing(m > 0 ? gaps : 0, m);
  for (std::uint32_t i = n; i-- > 0;) {
    if (in[i] != out[i]) coming.push_front(in[i], i);
    if (out[i] < gaps) leaving.push_front(out[i], i);
  }
  for (std::uint32_t i = m; i-- > 0;)
    finding_nothing.push_front(covered.first_open(collection.empties[i].call + 1), i);

  std::vector<OperationId> order;
  order.reserve(2 * n + m);
  const auto add = [&](const Element& e) {
    if (e.is_operation()) order.push_back(e.add);
  };
  for (std::uint32_t gap = 0; gap < gaps; ++gap) {
    for (std::uint32_t i = leaving.first[gap]; i != kNone; i = leaving.next[i]) {
      const Element& e = collection.elements[elements[i]];
      if (in[i] == out[i]) add(e);
      order.push_back(e.take);
    }
    if (m > 0)
      for (std::uint32_t i = finding_nothing.first[gap]; i != kNone; i = finding_nothing.next[i])
        order.push_back(collection.empties[i].op);
    for (std::uint32_t i = coming.first[gap]; i != kNone; i = coming.next[i])
      add(collection.elements[elements[i]]);
  }
  return order;
}

}  // namespace plumb
