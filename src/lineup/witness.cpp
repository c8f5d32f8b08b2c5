// SPDX-License-Identifier: MIT
#include "lineup/witness.hpp"

#include <algorithm>

namespace plumb::lineup {

Witness::Witness(const Matrix& test, const ObservedHistory& history, Leniency leniency)
    : leniency_(std::move(leniency)) {
  const std::vector<Cell> all = cells(test);
  threads_.resize(test.columns.size() + 1);
  std::vector<Operation*> by_number(all.size(), nullptr);
  for (auto& thread : threads_) thread.reserve(all.size());
  for (std::size_t i = 0; i < history.events.size(); ++i) {
    const ObservedEvent& event = history.events[i];
    const auto number = static_cast<std::size_t>(event.operation);
    const int at = static_cast<int>(i);
    if (!event.is_return) {
      const int thread = all[number].thread;
      auto& operations = threads_[static_cast<std::size_t>(thread)];
      operations.push_back({event.operation, thread, at, kNever, 0});
      by_number[number] = &operations.back();
    } else {
      by_number[number]->returned = at;
      by_number[number]->result = event.result;
    }
  }
  for (const auto& thread : threads_) {
    for (const Operation& operation : thread) {
      if (operation.returned == kNever) pending_.push_back(operation.number);
    }
  }
}

bool Witness::agrees(const Operation& operation, const SerialStep& step) const {
  return operation.result == step.result || leniency_.allows(step);
}

// Depth first over the tree of serial histories: a node is reached in one way only, so nothing is
// looked at twice.
struct Witness::Search {
  const Witness& witness;
  const SerialHistories& serial;
  std::optional<int> last;  // this pending operation, stuck, comes at the end
  bool classic = false;     // pending operations may be taken with any result, or not
  std::vector<std::size_t> next;
  SerialHistory order = {};

  // The first operation of each thread that has not been taken may come next if nothing that
  // returned before its call is left.
  int first_return() const {
    int first = kNever;
    for (std::size_t t = 0; t < next.size(); ++t) {
      if (next[t] < witness.threads_[t].size())
        first = std::min(first, witness.threads_[t][next[t]].returned);
    }
    return first;
  }

  bool all_taken() const {
    for (std::size_t t = 0; t < next.size(); ++t) {
      if (next[t] < witness.threads_[t].size() && witness.threads_[t][next[t]].returned != kNever)
        return false;
    }
    return true;
  }

  bool go(int node) {
    if (all_taken()) {
      if (!last) return true;
      for (const auto& edge : serial.node(node)) {
        if (edge.step.operation != *last || !edge.step.stuck) continue;
        order.push_back(edge.step);
        return true;
      }
      return false;
    }
    const int limit = first_return();
    for (const auto& edge : serial.node(node)) {
      if (edge.step.stuck) continue;
      for (std::size_t t = 0; t < next.size(); ++t) {
        if (next[t] == witness.threads_[t].size()) continue;
        const Operation& operation = witness.threads_[t][next[t]];
        if (operation.number != edge.step.operation || operation.called > limit) continue;
        const bool pending = operation.returned == kNever;
        if (pending ? !classic : !witness.agrees(operation, edge.step)) continue;
        ++next[t];
        order.push_back(edge.step);
        if (go(edge.to)) return true;
        order.pop_back();
        --next[t];
      }
    }
    return false;
  }
};

std::optional<SerialHistory> Witness::find(const SerialHistories& serial) const {
  Search search{*this, serial, {}, false, std::vector<std::size_t>(threads_.size(), 0)};
  if (!search.go(SerialHistories::kRoot)) return std::nullopt;
  return search.order;
}

std::optional<SerialHistory> Witness::find_stuck(const SerialHistories& serial, int pending) const {
  Search search{*this, serial, pending, false, std::vector<std::size_t>(threads_.size(), 0)};
  if (!search.go(SerialHistories::kRoot)) return std::nullopt;
  return search.order;
}

std::optional<SerialHistory> Witness::find_classic(const SerialHistories& serial) const {
  Search search{*this, serial, {}, true, std::vector<std::size_t>(threads_.size(), 0)};
  if (!search.go(SerialHistories::kRoot)) return std::nullopt;
  return search.order;
}

bool Witness::is_witness(const SerialHistory& serial, std::optional<int> pending) const {
  std::vector<const Operation*> expected;
  for (const auto& thread : threads_) {
    for (const Operation& operation : thread) {
      if (operation.returned != kNever || operation.number == pending)
        expected.push_back(&operation);
    }
  }
  if (expected.size() != serial.size()) return false;
  std::vector<const Operation*> order;
  for (const SerialStep& step : serial) {
    const auto found = std::ranges::find(expected, step.operation, &Operation::number);
    if (found == expected.end()) return false;
    const Operation& operation = **found;
    const bool is_stuck = operation.returned == kNever;
    if (step.stuck != is_stuck || (!is_stuck && !agrees(operation, step))) return false;
    order.push_back(&operation);
  }
  for (std::size_t i = 0; i < order.size(); ++i) {
    for (std::size_t j = i + 1; j < order.size(); ++j) {
      const Operation& a = *order[i];
      const Operation& b = *order[j];
      if (b.returned < a.called) return false;
      if (a.thread == b.thread && b.called < a.called) return false;
    }
  }
  return true;
}

std::optional<Witness::Nearest> Witness::nearest(const SerialHistories& serial,
                                                 std::optional<int> pending) const {
  // Every order of these operations that respects <_H and is in the tree, whatever its results.
  std::optional<Nearest> best;
  std::size_t best_at = 0;
  std::vector<std::size_t> next(threads_.size(), 0);
  Nearest now;
  const auto taken_all = [&] {
    for (std::size_t t = 0; t < next.size(); ++t) {
      for (std::size_t i = next[t]; i < threads_[t].size(); ++i) {
        if (threads_[t][i].returned != kNever || threads_[t][i].number == pending) return false;
      }
    }
    return true;
  };
  const auto keep = [&] {
    // Of two that differ alike, the one that does so later reads better.
    std::size_t at = now.serial.size();
    for (std::size_t i = now.serial.size(); i-- > 0;) {
      if (std::ranges::find(now.differs, now.serial[i].operation) != now.differs.end()) at = i;
    }
    if (best && (best->differs.size() < now.differs.size() ||
                 (best->differs.size() == now.differs.size() && best_at >= at)))
      return;
    best = now;
    best_at = at;
  };
  const auto go = [&](auto& self, int node) -> void {
    if (taken_all()) return keep();
    if (best && best->differs.size() < now.differs.size()) return;
    int limit = kNever;
    for (std::size_t t = 0; t < next.size(); ++t) {
      if (next[t] < threads_[t].size()) limit = std::min(limit, threads_[t][next[t]].returned);
    }
    for (const auto& edge : serial.node(node)) {
      for (std::size_t t = 0; t < next.size(); ++t) {
        if (next[t] == threads_[t].size()) continue;
        const Operation& operation = threads_[t][next[t]];
        if (operation.number != edge.step.operation || operation.called > limit) continue;
        const bool is_pending = operation.returned == kNever;
        if (is_pending && operation.number != pending) continue;
        const bool differs =
            is_pending != edge.step.stuck || (!is_pending && !agrees(operation, edge.step));
        ++next[t];
        now.serial.push_back(edge.step);
        if (differs) now.differs.push_back(operation.number);
        // A serial history may end where the concurrent one continued; but not without what should
        // have let the operation through.
        if (edge.to >= 0) self(self, edge.to);
        else if (!is_pending || taken_all()) keep();
        if (differs) now.differs.pop_back();
        now.serial.pop_back();
        --next[t];
      }
    }
  };
  go(go, SerialHistories::kRoot);
  return best;
}

}  // namespace plumb::lineup
