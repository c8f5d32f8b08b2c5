// SPDX-License-Identifier: MIT
// Clocks and sleep. Time is the execution's own (virtual_time.hpp); a sleep lets others go first
// and takes no time of ours. What cannot be seen is the processor's own counter (rdtsc): code that
// reads it does not do twice the same.
#include <errno.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "runtime/base/real.hpp"
#include "runtime/hooks/hook.hpp"
#include "runtime/schedule/execution.hpp"
#include "runtime/schedule/virtual_time.hpp"

using namespace plumb::runtime;

namespace {

void sleep_for(const timespec& duration, const void* pc) {
  execution.give_way(pc);
  execution.trace.note("sleep");
  pass(duration);
}

}  // namespace

PLUMB_HOOK int clock_gettime(clockid_t clock, timespec* time) {
  if (!inside()) return real().clock_gettime(clock, time);
  *time = look_at_clock(clock);
  return 0;
}

PLUMB_HOOK int gettimeofday(timeval* time, void* zone) {
  if (!inside()) return real().gettimeofday(time, zone);
  const timespec now = look_at_clock(CLOCK_REALTIME);
  *time = {now.tv_sec, now.tv_nsec / 1000};
  return 0;
}

PLUMB_HOOK time_t time(time_t* result) {
  if (!inside()) return real().time(result);
  const time_t now = look_at_clock(CLOCK_REALTIME).tv_sec;
  if (result != nullptr) *result = now;
  return now;
}

PLUMB_HOOK int timespec_get(timespec* time, int base) {
  if (!inside()) return real().timespec_get(time, base);
  if (base != TIME_UTC) return 0;
  *time = look_at_clock(CLOCK_REALTIME);
  return base;
}

PLUMB_HOOK clock_t clock() {
  if (!inside()) return real().clock();
  const timespec now = look_at_clock(CLOCK_PROCESS_CPUTIME_ID);
  return now.tv_sec * CLOCKS_PER_SEC + now.tv_nsec / (1'000'000'000 / CLOCKS_PER_SEC);
}

PLUMB_HOOK int nanosleep(const timespec* duration, timespec* rest) {
  if (!inside()) return real().nanosleep(duration, rest);
  if (!is_time(*duration)) {
    errno = EINVAL;
    return -1;
  }
  sleep_for(*duration, PLUMB_PC);
  return 0;
}

PLUMB_HOOK int clock_nanosleep(clockid_t clock, int flags, const timespec* time, timespec* rest) {
  if (!inside()) return real().clock_nanosleep(clock, flags, time, rest);
  if (!is_time(*time)) return EINVAL;
  if ((flags & TIMER_ABSTIME) != 0) {
    execution.give_way(PLUMB_PC);
    execution.trace.note("sleep");
    pass_until(clock, *time);
  } else {
    sleep_for(*time, PLUMB_PC);
  }
  return 0;
}

PLUMB_HOOK int usleep(useconds_t microseconds) {
  if (!inside()) return real().usleep(microseconds);
  sleep_for({microseconds / 1'000'000, microseconds % 1'000'000 * 1000}, PLUMB_PC);
  return 0;
}

PLUMB_HOOK unsigned sleep(unsigned seconds) {
  if (!inside()) return real().sleep(seconds);
  sleep_for({seconds, 0}, PLUMB_PC);
  return 0;
}
