// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdlib>

namespace plumb::refine {

/// How many random models to try: what PLUMB_MODELS_N says, for long runs and for sanitizers.
inline int how_many(int usually, int at_most = 1'000'000) {
  const char* asked = std::getenv("PLUMB_MODELS_N");
  return std::min(asked ? std::atoi(asked) : usually, at_most);
}

}  // namespace plumb::refine
