// SPDX-License-Identifier: MIT
#include "explore/conflict_graph.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "explore/dependent.hpp"

namespace plumb::explore {

ConflictGraph::ConflictGraph(std::span<const Accessed> accesses) : accesses_(accesses) {
  order_threads();
  order_conflicts();
  // The earliest access that makes an edge is the one to be shown.
  std::ranges::sort(edges_);
  const auto same = [](const Edge& a, const Edge& b) { return a.from == b.from && a.to == b.to; };
  edges_.erase(std::unique(edges_.begin(), edges_.end(), same), edges_.end());
  std::int32_t count = 0;
  for (const Accessed& a : accesses_) count = std::max(count, a.transaction + 1);
  begin_.assign(static_cast<std::size_t>(count) + 1, 0);
  for (const Edge& edge : edges_) ++begin_[static_cast<std::size_t>(edge.from) + 1];
  for (std::size_t i = 1; i < begin_.size(); ++i) begin_[i] += begin_[i - 1];
}

// Each transaction comes after the one before it in its thread.
void ConflictGraph::order_threads() {
  std::array<std::int64_t, kMaxThreads> last;
  last.fill(-1);
  for (std::uint32_t i = 0; i < accesses_.size(); ++i) {
    const Accessed& a = accesses_[i];
    std::int64_t& before = last[a.thread];
    if (before >= 0 && accesses_[static_cast<std::size_t>(before)].transaction != a.transaction) {
      const auto first = static_cast<std::uint32_t>(before);
      edges_.push_back({accesses_[first].transaction, a.transaction, i, first});
    }
    before = i;
  }
}

// Word by word of the memory: most words are touched by one thread only, whose order is known, or
// never written.
void ConflictGraph::order_conflicts() {
  std::vector<std::pair<std::uint64_t, std::uint32_t>> touched;  // words, accesses
  for (std::uint32_t i = 0; i < accesses_.size(); ++i) {
    const Access& access = accesses_[i].access;
    if (access.size == 0) continue;
    const std::uint64_t last = (access.address + access.size - 1) / 8;
    for (std::uint64_t word = access.address / 8; word <= last; ++word)
      touched.emplace_back(word, i);
  }
  std::ranges::sort(touched);
  std::vector<std::uint32_t> earlier;  // of a word; no two alike by one transaction
  for (std::size_t begin = 0, end = 0; begin < touched.size(); begin = end) {
    bool is_shared = false;
    bool is_written = false;
    const std::uint8_t thread = accesses_[touched[begin].second].thread;
    for (; end < touched.size() && touched[end].first == touched[begin].first; ++end) {
      const Accessed& a = accesses_[touched[end].second];
      is_shared |= a.thread != thread;
      is_written |= a.access.touch != Touch::read;
    }
    if (!is_shared || !is_written) continue;
    earlier.clear();
    for (std::size_t i = begin; i < end; ++i) {
      const Accessed& a = accesses_[touched[i].second];
      if (a.is_new) {
        earlier.clear();
        continue;
      }
      bool is_known = false;
      for (const std::uint32_t first : earlier) {
        const Accessed& e = accesses_[first];
        if (e.thread == a.thread) {
          is_known |= e.transaction == a.transaction && e.access == a.access;
        } else if (conflict(e.access, a.access)) {
          edges_.push_back({e.transaction, a.transaction, touched[i].second, first});
        }
      }
      if (!is_known) earlier.push_back(touched[i].second);
    }
  }
}

std::span<const ConflictGraph::Edge> ConflictGraph::edges_from(std::int32_t transaction) const {
  const auto t = static_cast<std::size_t>(transaction);
  return std::span(edges_).subspan(begin_[t], begin_[t + 1] - begin_[t]);
}

// Transactions that nothing comes before are taken away, one after the other; those of a cycle
// stay.
bool ConflictGraph::has_cycle() const {
  std::vector<std::uint32_t> before(begin_.size() - 1, 0);
  for (const Edge& edge : edges_) ++before[static_cast<std::size_t>(edge.to)];
  std::vector<std::int32_t> free;
  for (std::size_t t = 0; t < before.size(); ++t) {
    if (before[t] == 0) free.push_back(static_cast<std::int32_t>(t));
  }
  for (std::size_t taken = 0; taken < free.size(); ++taken) {
    for (const Edge& edge : edges_from(free[taken])) {
      if (--before[static_cast<std::size_t>(edge.to)] == 0) free.push_back(edge.to);
    }
  }
  return free.size() < before.size();
}

std::vector<Conflict> ConflictGraph::shortest_cycle() const {
  const std::size_t count = begin_.size() - 1;
  std::vector<const Edge*> shortest;
  for (std::size_t start = 0; start < count; ++start) {
    // Breadth first, back to where it began.
    std::vector<const Edge*> reached_by(count, nullptr);
    std::vector<std::int32_t> reached = {static_cast<std::int32_t>(start)};
    for (std::size_t i = 0; i < reached.size() && reached_by[start] == nullptr; ++i) {
      for (const Edge& edge : edges_from(reached[i])) {
        const Edge*& by = reached_by[static_cast<std::size_t>(edge.to)];
        if (by != nullptr) continue;
        by = &edge;
        reached.push_back(edge.to);
      }
    }
    if (reached_by[start] == nullptr) continue;
    std::vector<const Edge*> cycle;
    for (std::size_t at = start; cycle.empty() || at != start;) {
      cycle.push_back(reached_by[at]);
      at = static_cast<std::size_t>(cycle.back()->from);
    }
    if (shortest.empty() || cycle.size() < shortest.size()) shortest = std::move(cycle);
  }
  std::vector<Conflict> result;
  for (auto edge = shortest.rbegin(); edge != shortest.rend(); ++edge)
    result.push_back({accesses_[(*edge)->first], accesses_[(*edge)->second]});
  return result;
}

}  // namespace plumb::explore
