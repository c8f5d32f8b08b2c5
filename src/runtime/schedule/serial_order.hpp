// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "runtime/wire/flat_matrix.hpp"

namespace plumb::runtime {

/// Of a serial execution: which operation may be called next.
struct SerialOrder {
  std::uint64_t between = 0;                     // bits of threads that wait to call the next one
  std::array<std::uint64_t, 16> over{};          // bits of operations that have returned
  static_assert(FlatMatrix::kCells <= 64 * 16);  // of `over`

  void reset() { *this = {}; }
  void returned(std::uint16_t operation) {
    over[operation / 64] |= std::uint64_t{1} << operation % 64;
  }
  /// Whether all that has to be over before it is.
  bool may_call(const FlatMatrix& matrix, std::uint16_t operation) const {
    for (int i = 0; i < matrix.pairs; ++i) {
      const auto [cell, after] = matrix.order[static_cast<std::size_t>(i)];
      if (cell == operation && (over[after / 64] >> after % 64 & 1) == 0) return false;
    }
    return true;
  }
};

}  // namespace plumb::runtime
