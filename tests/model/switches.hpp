// SPDX-License-Identifier: MIT
// All combinations of reductions.
#pragma once

#include "refine/product.hpp"

namespace plumb::refine {

inline constexpr int kSwitches = 6;

/// A bit that is set switches a reduction off.
inline Reductions switched(int mask) {
  return {.eager_returns = !(mask & 1),
          .late_calls = !(mask & 2),
          .symmetry = !(mask & 4),
          .partial_order = !(mask & 8),
          .antichain = !(mask & 16),
          .generators = !(mask & 32)};
}

}  // namespace plumb::refine
