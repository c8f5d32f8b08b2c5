// SPDX-License-Identifier: MIT
// A specification as a table: (state, label) -> states, computed once and remembered.
//
// Small ones (a register of five values) become a dense matrix, so that a step is one load; large
// ones go to an open-addressing hash table. Engines call the specification only through this.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "check/problem/problem.hpp"
#include "plumb/specification.hpp"

namespace plumb {

class Automaton {
 public:
  explicit Automaton(const Problem& problem)
      : problem_(problem), space_(problem.make_space()), labels_(problem.labels.size()) {}

  StateId initial() { return space_->initial(); }

  /// Whether the label is legal here.
  bool legal(StateId from, LabelId label) {
    std::uint32_t* cell = find(from, label);
    if (*cell == kUnknown) cell = compute(from, label);
    return *cell != kIllegal;
  }

  /// The states after the label; empty: not legal here. Valid until the next call.
  std::span<const StateId> step(StateId from, LabelId label) {
    std::uint32_t* cell = find(from, label);
    if (*cell == kUnknown) cell = compute(from, label);
    if (*cell == kIllegal) return {};
    if (*cell & kMany) {
      const auto& list = lists_[*cell & ~kMany];
      return {list.data(), list.size()};
    }
    single_ = *cell;  // the table may move: hand out a copy
    return {&single_, 1};
  }

  /// Requires: the label's result is not known.
  bool blocked(StateId from, LabelId label) { return !legal(from, label); }

  StateSpace& space() { return *space_; }
  std::size_t bytes() const {
    return space_->bytes() + dense_.capacity() * sizeof(std::uint32_t) +
           hashed_.capacity() * sizeof(Cell) + lists_bytes_;
  }
  /// In steps of a search: a new state costs about as much as four, and a large one more.
  std::uint64_t work() const { return 4 * space_->size() + space_->bytes() / 64; }
  /// For a larger table, if one is needed soon: a budget is asked now and then, and by the next
  /// time it would be too late.
  std::size_t bytes_soon() const {
    return used_ * 16 < hashed_.size() * 11 ? 0 : 2 * hashed_.capacity() * sizeof(Cell);
  }

 private:
  static constexpr std::uint32_t kUnknown = 0xffffffffu, kIllegal = 0xfffffffeu, kMany = 1u << 31;
  static constexpr std::size_t kDenseCells = std::size_t{1} << 18;
  struct Cell {
    std::uint64_t key = kEmpty;
    std::uint32_t value = kUnknown;
  };
  static constexpr std::uint64_t kEmpty = ~std::uint64_t{0};

  std::uint32_t* find(StateId from, LabelId label) {
    if (!use_hash_) {
      const std::size_t at = std::size_t{from} * labels_ + label;
      if (at < dense_.size()) return &dense_[at];
      const std::size_t need = (std::size_t{from} + 1) * labels_;
      if (need <= kDenseCells) {
        dense_.resize(std::max(need, std::min(dense_.size() * 2, kDenseCells)), kUnknown);
        return &dense_[at];
      }
      move_to_hash();
    }
    return find_hashed(std::uint64_t{from} << 32 | label);
  }
  std::uint32_t* find_hashed(std::uint64_t key);
  std::uint32_t* compute(StateId from, LabelId label);
  void move_to_hash();
  void grow();

  const Problem& problem_;
  std::unique_ptr<StateSpace> space_;
  std::size_t labels_;
  std::vector<std::uint32_t> dense_;
  bool use_hash_ = false;
  std::vector<Cell> hashed_;
  std::size_t used_ = 0;
  std::vector<std::vector<StateId>> lists_;
  std::size_t lists_bytes_ = 0;
  std::vector<StateId> scratch_;
  StateId single_ = 0;
};

}  // namespace plumb
