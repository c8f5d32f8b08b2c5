// SPDX-License-Identifier: MIT
#include "runtime/schedule/virtual_time.hpp"

#include "runtime/schedule/accesses.hpp"

namespace plumb::runtime {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
// Where the clocks stand when an execution begins; not at 0, so that code may subtract.
constexpr std::int64_t kCalendar = 1'700'000'000 * kSecond;
constexpr std::int64_t kMonotonic = 1'000 * kSecond;

constexpr std::int64_t kFirstLook = 1'000;
constexpr std::int64_t kGrowth = 100;
constexpr std::int64_t kLongestLook = 1'000'000 * kSecond;

struct {
  std::uint64_t execution = 0;
  std::uint64_t version = 0;
  std::int64_t step = 0;
} last_look;

std::int64_t beginning(clockid_t clock) {
  switch (clock) {
    case CLOCK_REALTIME:
    case CLOCK_REALTIME_COARSE:
    case CLOCK_TAI: return kCalendar;
    case CLOCK_PROCESS_CPUTIME_ID:
    case CLOCK_THREAD_CPUTIME_ID: return 0;
    default: return kMonotonic;
  }
}

std::int64_t in_nanoseconds(const timespec& time) {
  std::int64_t result = 0;
  if (__builtin_mul_overflow(time.tv_sec, kSecond, &result) ||
      __builtin_add_overflow(result, time.tv_nsec, &result)) {
    return time.tv_sec < 0 ? INT64_MIN / 4 : INT64_MAX / 4;
  }
  return result;
}

// Who looks at the clock sees who looked or waited before.
void touch_clock() {
  execution.depends_on({address_of(&execution.now), sizeof execution.now, Touch::write});
}

}  // namespace

bool is_time(const timespec& time) { return time.tv_nsec >= 0 && time.tv_nsec < kSecond; }

timespec look_at_clock(clockid_t clock) {
  Execution& e = execution;
  e.takes_effect(__builtin_return_address(0));
  e.spins.settle();
  const bool same = last_look.execution == e.number && last_look.version == e.spins.version;
  const std::int64_t next = last_look.step * kGrowth;
  last_look = {e.number, e.spins.version,
               !same                 ? kFirstLook
               : next < kLongestLook ? next
                                     : kLongestLook};
  e.now += last_look.step;
  // A loop that waits for a deadline is not one that waits for others only.
  if (last_look.step < kLongestLook) e.spins.forget(e.threads.me);
  touch_clock();
  const std::int64_t shown = beginning(clock) + e.now;
  return {shown / kSecond, shown % kSecond};
}

void pass_until(clockid_t clock, const timespec& deadline) {
  const std::int64_t then = in_nanoseconds(deadline) - beginning(clock);
  if (then > execution.now) execution.now = then;
  touch_clock();
}

void pass(const timespec& duration) {
  const std::int64_t nanoseconds = in_nanoseconds(duration);
  if (nanoseconds > 0 && execution.now < INT64_MAX / 4) execution.now += nanoseconds;
  touch_clock();
}

}  // namespace plumb::runtime
