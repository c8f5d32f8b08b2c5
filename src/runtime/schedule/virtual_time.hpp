// SPDX-License-Identifier: MIT
// Time as the program under test sees it (Execution::now). It does not depend on how fast anything
// runs.
#pragma once

#include <time.h>

#include <cstdint>

namespace plumb::runtime {

/// What a clock shows. Time moves a little by looking at it; faster and faster while nothing
/// else happens, so that a loop that waits for a deadline comes to its end.
timespec look_at_clock(clockid_t clock);

bool is_time(const timespec& time);  // nanoseconds in range
void pass_until(clockid_t clock, const timespec& deadline);
void pass(const timespec& duration);

/// The instant until which a wait may last, or none.
struct Deadline {
  clockid_t clock = CLOCK_REALTIME;
  const timespec* at = nullptr;

  bool exists() const { return at != nullptr; }
  bool is_valid() const { return at == nullptr || is_time(*at); }
  void pass() const {
    if (at != nullptr) pass_until(clock, *at);
  }
};

}  // namespace plumb::runtime
