// SPDX-License-Identifier: MIT
// Lazy hiding: the order that a chain of configurations stands for. First what changes the cell,
// each change in its gap; then what only looks at it, where it can.
#include <list>
#include <tuple>

#include "check/monitors/hiding.hpp"

namespace plumb {
namespace {

// The cell has this value in the gaps from `from` to `to`; `index` changes are before it.
struct CellStay {
  std::uint32_t from, to, index;
  CellValue value;
};

// The first stay that serves the look and does not end before this gap.
std::uint32_t find_stay(const CellMove& look, std::uint32_t first_gap,
                        const std::vector<CellStay>& stays,
                        const std::vector<std::vector<std::uint32_t>>& stays_of) {
  using Kind = CellMove::Kind;
  if (look.kind == Kind::read || look.kind == Kind::write) {
    const auto& list = stays_of[look.kind == Kind::read ? look.from : look.to];
    return *std::partition_point(list.begin(), list.end(),
                                 [&](std::uint32_t i) { return stays[i].to < first_gap; });
  }
  auto stay = static_cast<std::uint32_t>(
      std::partition_point(stays.begin(), stays.end(),
                           [&](const CellStay& s) { return s.to < first_gap; }) -
      stays.begin());
  while (look.kind == Kind::miss && stays[stay].value == look.from) ++stay;
  return stay;
}

}  // namespace

Hiding::Changes Hiding::changes_up_to(std::uint32_t node) const {
  std::vector<std::uint32_t> trail;
  for (; nodes_[node]->parent != kNone; node = nodes_[node]->parent) trail.push_back(node);
  Changes out;
  std::list<Placed> changes;
  auto last = changes.end();
  for (auto at = trail.rbegin(); at != trail.rend(); ++at) {
    const std::uint32_t gap = nodes_[nodes_[*at]->parent]->event;
    for (std::uint32_t i = 0; i < nodes_[*at]->count; ++i) {
      const Action action = *actions_[nodes_[*at]->actions + i];
      if (action.how == Action::there) {
        out.lookers.push_back(action.op);
      } else if (action.how == Action::hidden) {
        changes.insert(last, {action.op, last->gap});
      } else {
        changes.push_back({action.op, gap});
        if (move(action.op).kind == CellMove::Kind::write) last = std::prev(changes.end());
      }
    }
  }
  out.placed.assign(changes.begin(), changes.end());
  for (OperationId op = 0; op < problem_.ops.size(); ++op)
    if (call_[op] != kNone && !move(op).changes()) out.lookers.push_back(op);
  return out;
}

std::vector<OperationId> Hiding::order_of(std::uint32_t node) const {
  const Changes changes = changes_up_to(node);
  std::vector<CellStay> stays = {{0, kNone, 0, cell_.initial}};
  for (const Placed& change : changes.placed) {
    stays.back().to = change.gap;
    stays.push_back(
        {change.gap, kNone, static_cast<std::uint32_t>(stays.size()), move(change.op).to});
  }
  std::vector<std::vector<std::uint32_t>> stays_of(cell_.values.size());
  for (std::uint32_t i = 0; i < stays.size(); ++i) stays_of[stays[i].value].push_back(i);

  struct Look {
    std::uint32_t index, gap;
    OperationId op;
  };
  std::vector<Look> looks;
  for (const OperationId op : changes.lookers) {
    const std::uint32_t first = call_[op] + 1;  // the first gap that it may be in
    const CellStay& stay = stays[find_stay(move(op), first, stays, stays_of)];
    looks.push_back({stay.index, std::max(first, stay.from), op});
  }
  std::sort(looks.begin(), looks.end(), [](const Look& a, const Look& b) {
    return std::tie(a.index, a.gap, a.op) < std::tie(b.index, b.gap, b.op);
  });
  std::vector<OperationId> order;
  auto look = looks.begin();
  for (std::uint32_t i = 0; i <= changes.placed.size(); ++i) {
    for (; look != looks.end() && look->index == i; ++look) order.push_back(look->op);
    if (i < changes.placed.size()) order.push_back(changes.placed[i].op);
  }
  return order;
}

}  // namespace plumb
