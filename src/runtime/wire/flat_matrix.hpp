// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>

namespace plumb::runtime {

/// A test of an object (lineup::Matrix) in memory of fixed size: which operations each thread
/// calls. Column 0 is what the main thread does before the others start, the last column what it
/// does after they ended.
struct FlatMatrix {
  static constexpr int kColumns = 30, kCells = 1024, kPairs = 1024;
  int columns = 0;                                  // of the other threads
  std::array<std::uint16_t, kColumns + 3> begin{};  // of each column in `cells`; then the end
  std::array<std::uint16_t, kCells> cells{};        // operations
  /// In serial runs `cell` is called only after `after` has returned.
  struct Pair {
    std::uint16_t cell, after;
  };
  int pairs = 0;
  std::array<Pair, kPairs> order{};
};

}  // namespace plumb::runtime
