// SPDX-License-Identifier: MIT
// Runs a program and measures it. Memory is measured per process, so each measurement needs its
// own.
#pragma once

#include <string>
#include <vector>

namespace plumb::bench {

struct ChildResult {
  bool started = false, killed = false;  // killed at the time limit
  int exit_status = -1;                  // -1: ended by a signal
  std::string output;
  double peak_mib = 0;  // resident
};

ChildResult run_child(const std::vector<std::string>& command, double kill_after_seconds);

}  // namespace plumb::bench
