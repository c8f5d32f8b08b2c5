// SPDX-License-Identifier: MIT
#include "check/evidence/merge_orders.hpp"

#include <algorithm>

namespace plumb {
namespace {

using Order = std::vector<OperationId>;

// Operations 0 .. operations-1, then other nodes that only carry edges.
class OrderGraph {
 public:
  OrderGraph(std::size_t operations, std::size_t others)
      : operations_(operations), next_(operations + others), waiting_(operations + others, 0),
        placed_(operations, false) {}

  void place(OperationId op) {
    placed_[op] = true;
    ++to_place_;
  }
  bool placed(OperationId op) const { return placed_[op]; }

  void edge(std::size_t before, std::size_t after) {
    next_[before].push_back(static_cast<std::uint32_t>(after));
    ++waiting_[after];
  }
  void add_orders(const Partitioning& parts, const std::vector<Order>& orders) {
    for (std::size_t p = 0; p < orders.size(); ++p) {
      const auto& ops = parts.partitions[p].problem.ops;
      for (std::size_t i = 1; i < orders[p].size(); ++i)
        edge(ops[orders[p][i - 1]].source, ops[orders[p][i]].source);
    }
  }

  /// Nothing: there is a cycle.
  std::optional<Order> sort() {
    std::vector<std::uint32_t> ready;
    for (std::uint32_t x = 0; x < next_.size(); ++x)
      if (waiting_[x] == 0 && (x >= operations_ || placed_[x])) ready.push_back(x);
    Order order;
    for (std::size_t i = 0; i < ready.size(); ++i) {
      const std::uint32_t x = ready[i];
      if (x < operations_) order.push_back(x);
      for (const std::uint32_t y : next_[x])
        if (--waiting_[y] == 0) ready.push_back(y);
    }
    if (order.size() != to_place_) return std::nullopt;
    return order;
  }

 private:
  std::size_t operations_, to_place_ = 0;
  std::vector<std::vector<std::uint32_t>> next_;
  std::vector<std::uint32_t> waiting_;
  std::vector<bool> placed_;
};

void place_all(const Partitioning& parts, const std::vector<Order>& orders, OrderGraph& graph) {
  for (std::size_t p = 0; p < orders.size(); ++p)
    for (const OperationId op : orders[p]) graph.place(parts.partitions[p].problem.ops[op].source);
}

// Without `after` edges: the point of an operation is the latest call among it and those before it
// in its part. Each point is the call of one operation, so points of different parts differ, and
// ordering by point respects every part's order and real time.
Order by_point(const History& history, const Partitioning& parts,
               const std::vector<Order>& orders) {
  std::vector<std::uint64_t> keyed;
  keyed.reserve(history.size());
  for (std::size_t p = 0; p < orders.size(); ++p) {
    std::uint32_t point = 0;
    for (const OperationId op : orders[p]) {
      const OperationId source = parts.partitions[p].problem.ops[op].source;
      point = std::max(point, history.call[source]);
      keyed.push_back(std::uint64_t{point} << 32 | source);
    }
  }
  std::stable_sort(keyed.begin(), keyed.end(),
                   [](std::uint64_t a, std::uint64_t b) { return a >> 32 < b >> 32; });
  Order order;
  order.reserve(keyed.size());
  for (const std::uint64_t k : keyed) order.push_back(static_cast<OperationId>(k));
  return order;
}

}  // namespace

std::optional<Order> merge_by_real_time(const History& history, const Partitioning& parts,
                                        const std::vector<Order>& orders) {
  if (!parts.linked) return by_point(history, parts, orders);
  // With `after` edges locality is not a theorem any more: real time and process order together
  // need not be an interval order. Sort topologically over operations, the parts' orders, `after`
  // edges and a chain of events (call -> operation -> return); a cycle means that these orders do
  // not fit together.
  const std::size_t n = history.size(), events = history.events.size();
  OrderGraph graph(n, events);
  place_all(parts, orders, graph);
  for (std::size_t e = 0; e + 1 < events; ++e) graph.edge(n + e, n + e + 1);
  for (OperationId op = 0; op < n; ++op) {
    if (!graph.placed(op)) continue;
    graph.edge(n + history.call[op], op);
    if (history.returned(op)) graph.edge(op, n + history.ret[op]);
    const OperationId before = history.after_of(op);
    if (before != kNone && graph.placed(before)) graph.edge(before, op);
  }
  graph.add_orders(parts, orders);
  return graph.sort();
}

std::optional<Order> merge_by_process(const History& history, const Partitioning& parts,
                                      const std::vector<Order>& orders) {
  OrderGraph graph(history.size(), 0);
  place_all(parts, orders, graph);
  graph.add_orders(parts, orders);
  std::vector<OperationId> last(history.processes.size(), kNone);
  for (OperationId op = 0; op < history.size(); ++op) {
    if (!graph.placed(op)) continue;
    OperationId& before = last[history.process[op]];
    if (before != kNone) graph.edge(before, op);
    if (history.returned(op)) before = op;
  }
  return graph.sort();
}

}  // namespace plumb
