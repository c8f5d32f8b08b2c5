// SPDX-License-Identifier: MIT
// The implementation of a model as an explicit graph: all its states and plain steps, breadth
// first, without reductions. For questions about infinite runs (progress.cpp), and for pictures
// (dot.cpp).
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "base/budget.hpp"
#include "base/flat_index.hpp"
#include "refine/search/product.hpp"
#include "refine/tables/tables.hpp"

namespace plumb::refine {

/// Packed states, numbered in the order in which they are met.
class PackedStates {
 public:
  explicit PackedStates(std::size_t width) : width_(width) {}

  std::uint32_t size() const { return static_cast<std::uint32_t>(words_.size() / width_); }
  const std::uint64_t* operator[](std::uint32_t state) const {
    return words_.data() + state * width_;
  }
  std::uint32_t number(const std::uint64_t* row) {
    const std::uint32_t next = size();
    const std::uint32_t found = index_.find_or_insert(
        hash_row(row, width_), next,
        [&](std::uint32_t state) { return std::equal(row, row + width_, (*this)[state]); });
    if (found == next) words_.insert(words_.end(), row, row + width_);
    return found;
  }

 private:
  std::size_t width_;
  std::vector<std::uint64_t> words_;
  FlatIndex index_;
};

struct Graph {
  static constexpr std::uint32_t kNoState = std::numeric_limits<std::uint32_t>::max();

  struct Edge {
    std::uint32_t to = kNoState;  // kNoState: a fault
    std::uint32_t ordinal = 0;
    std::uint16_t process = 0;
    model::StepKind kind = model::StepKind::inside;
  };
  struct Parent {
    std::uint32_t state = kNoState, edge = 0;
  };

  explicit Graph(std::size_t words) : packed(words) {}

  std::uint32_t size() const { return packed.size(); }
  /// Requires: the state was expanded; all are, unless the search was stopped.
  std::span<const Edge> from(std::uint32_t state) const {
    return {edges.data() + first[state], edges.data() + first[state + 1]};
  }
  /// The shortest way to a state.
  std::vector<PlainStep> path(std::uint32_t state) const;

  PackedStates packed;                  // state 0 is the initial one
  std::vector<std::uint32_t> first{0};  // by state: its first edge; and where the last one ends
  std::vector<Edge> edges;
  std::vector<Parent> parents;  // by state: how it was met first
  /// By state: a bit for each process that could continue, had there been a free node.
  std::vector<std::uint32_t> cut;
  std::uint64_t cuts = 0;  // Machine::cuts
  std::uint64_t depth = 0;
  bool complete = false;  // else a limit was met, or there were more states than asked for
  std::uint32_t faulty = kNoState;  // the first state with a faulty step, its last edge
};

/// Stops at a fault, and when there are more than `most` states.
Graph build_graph(const model::Program& program, Budget& budget, SearchProgress* progress = nullptr,
                  std::uint32_t most = Graph::kNoState - 1);

}  // namespace plumb::refine
