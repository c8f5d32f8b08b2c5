// SPDX-License-Identifier: MIT
// Limits that hold whatever the work does.
//
// An engine asks its budget every few thousand steps, but it cannot ask while a user's
// specification loops, allocates without end, or while a file is being read. So the work runs in a
// thread of its own, and the main thread looks at the clock, at the resident set and at signals
// every few milliseconds. It asks the work to stop; if it does not within the grace, the caller
// reports what is known and leaves the process, for no thread can be stopped against its will.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <string>

#include "base/exit_status.hpp"
#include "plumb/verdict.hpp"

namespace plumb::cli {

struct Limits {
  double timeout_seconds = 0;    // 0: none
  std::size_t memory_bytes = 0;  // of this process and of all that it started
  bool patient = false;  // work that was asked to stop has something to save, so it is waited for
};

struct Watched {
  bool finished = true;  // false: the work still runs, so only std::_Exit ends the process
  StopReason cut = StopReason::none;  // why it was asked to stop: a limit, or an interrupt
  double seconds = 0;
};

/// Runs `work` until it ends or a limit is passed. `stop` is set to ask it to end. `tick` is called
/// now and then with the seconds so far.
Watched watch(const Limits& limits, std::atomic<bool>& stop, std::function<void()> work,
              const std::function<void(double)>& tick);

/// What is said, and how the command ends, where that was all that it could do.
Error cut_while_reading(StopReason cut, const std::string& file);
ExitStatus status_of_cut(StopReason cut);

/// From now on SIGINT, SIGTERM and SIGHUP are remembered; the second one ends the process at once
/// with status 130.
void catch_interrupts();
bool interrupted();

}  // namespace plumb::cli
