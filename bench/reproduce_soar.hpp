// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

namespace plumb::bench {

struct SoarSettings {
  std::size_t largest = 1'000'000;  // operations
  unsigned histories = 5;           // per row
  std::uint64_t seed = 1;
  double timeout = 10;  // seconds per history
};

int reproduce_soar(const SoarSettings& settings);

}  // namespace plumb::bench
