// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>

namespace plumb {

using Clock = std::chrono::steady_clock;

/// Seconds.
inline double since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

}  // namespace plumb
