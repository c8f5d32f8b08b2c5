// SPDX-License-Identifier: MIT
// All combinations of reductions.
#pragma once

#include <iterator>
#include <numeric>
#include <vector>

#include "how_many.hpp"
#include "refine/search/product.hpp"

namespace plumb::refine {

inline constexpr int kSwitches = std::size(kReductions);

/// A bit that is set switches a reduction off.
inline Reductions switched(int mask) {
  Reductions all;
  for (int i = 0; i < kSwitches; ++i) all.*kReductions[i].on = !(mask >> i & 1);
  return all;
}

/// None switched off, all, one, all but one. For a sanitizer, which is after mistakes in memory and
/// not after wrong verdicts, the first two.
inline std::vector<int> few_combinations() {
  std::vector<int> masks{0, (1 << kSwitches) - 1};
#ifndef PLUMB_SANITIZED
  for (int i = 0; i < kSwitches; ++i) {
    masks.push_back(1 << i);
    masks.push_back(masks[1] ^ 1 << i);
  }
#endif
  return masks;
}

/// In long runs all of them, beginning with none switched off.
inline std::vector<int> combinations() {
  if (how_many(0) < 1000) return few_combinations();
  std::vector<int> masks(1 << kSwitches);
  std::iota(masks.begin(), masks.end(), 0);
  return masks;
}

}  // namespace plumb::refine
