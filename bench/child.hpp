// SPDX-License-Identifier: MIT
// Runs a program and measures it: memory is measured per process, so each measurement needs one.
#pragma once

#include <string>
#include <vector>

namespace plumb::bench {

struct ChildResult {
  bool started = false, killed = false;  // killed: past its time
  int exit_status = -1;                  // -1: by a signal
  std::string output;
  double peak_mib = 0;  // resident
};

ChildResult run_child(const std::vector<std::string>& command, double kill_after_seconds);

}  // namespace plumb::bench
