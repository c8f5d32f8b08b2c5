// SPDX-License-Identifier: MIT
#include "check/monitors/collection_parts.hpp"

#include <algorithm>

namespace plumb {

Collection part_of(const Collection& whole, const CollectionRule& rule,
                   const std::vector<std::uint32_t>& elements,
                   const std::vector<OperationId>& empties) {
  Collection part;
  part.problem = whole.problem;
  part.initial = whole.initial;
  part.open = whole.open;
  for (const std::uint32_t i : elements) part.elements.push_back(whole.elements[i]);
  for (const Collection::Empty& empty : whole.empties)
    if (std::binary_search(empties.begin(), empties.end(), empty.op)) part.empties.push_back(empty);

  std::vector<std::uint32_t> moments;
  const auto each_moment = [&](const auto& visit) {
    for (Element& e : part.elements) visit(e.l), visit(e.a), visit(e.b), visit(e.r);
    for (Collection::Empty& e : part.empties) visit(e.call), visit(e.ret);
    for (Collection::Open& o : part.open) visit(o.call);
  };
  each_moment([&](std::uint32_t moment) {
    if (moment < whole.end) moments.push_back(moment);
  });
  std::sort(moments.begin(), moments.end());
  moments.erase(std::unique(moments.begin(), moments.end()), moments.end());
  part.end = static_cast<std::uint32_t>(moments.size());
  each_moment([&](std::uint32_t& moment) {
    if (moment >= whole.end) moment = moment - whole.end + part.end;
    else
      moment = static_cast<std::uint32_t>(std::lower_bound(moments.begin(), moments.end(), moment) -
                                          moments.begin());
  });
  for (Collection::Open& o : part.open) {
    if (o.element == kNone) continue;
    const auto at = std::lower_bound(elements.begin(), elements.end(), o.element);
    const bool here = at != elements.end() && *at == o.element;
    // No element has the number kNone - 1.
    o.element = here ? static_cast<std::uint32_t>(at - elements.begin()) : kNone - 1;
  }
  rule.prepare(part);
  return part;
}

Conflict shrink(const Collection& whole, const CollectionRule& rule, Conflict conflict) {
  constexpr std::size_t kMost = 200;
  if (conflict.elements.size() > kMost) return conflict;
  std::sort(conflict.elements.begin(), conflict.elements.end());
  for (std::size_t i = conflict.elements.size(); i-- > 0;) {
    if (i >= conflict.elements.size()) continue;
    std::vector<std::uint32_t> fewer = conflict.elements;
    fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
    std::vector<OperationId> empties;
    if (conflict.empty != kNone) empties.push_back(conflict.empty);
    auto smaller = rule.find_conflict(part_of(whole, rule, fewer, empties));
    if (!smaller) continue;
    for (std::uint32_t& e : smaller->elements) e = fewer[e];
    std::sort(smaller->elements.begin(), smaller->elements.end());
    conflict = std::move(*smaller);
  }
  return conflict;
}

}  // namespace plumb
