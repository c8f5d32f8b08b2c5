// SPDX-License-Identifier: MIT
// What the process under test is to do: written by the process that watches.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <new>

#include "runtime/wire/flat_matrix.hpp"
#include "runtime/wire/options.hpp"

namespace plumb::runtime {

struct Command {
  Options options;
  FlatMatrix matrix;                             // columns > 0: the test of an object
  std::atomic<std::uint64_t> max_executions{0};  // may be lowered while the search runs
  bool resume = false;                           // the strategy's memory holds a begun search,
  bool crashed = false;                          // whose current execution crashed
  bool forget = true;                            // histories that an earlier search has sent
  bool keep_going = false;                       // after a finding
  std::array<const void*, 2> sought{};  // the race to show if the schedule leads to several
  char points[8192] = {};               // more sites: module+0x12,module+0x34
  std::atomic<bool> pause{false};       // wait between two executions

  void reset() { new (this) Command; }
};

}  // namespace plumb::runtime
