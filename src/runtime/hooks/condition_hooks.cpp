// SPDX-License-Identifier: MIT
// Condition variables. Waiting is one step that adds the thread to the waiters and releases the
// mutex. A signal chooses a waiter (all choices are explored) and makes it wait for the mutex:
// waking is not a separate step, reacquiring the mutex is. The waiters are found in the table of
// threads, so the condition itself stores nothing.
//
// A woken thread touches only the mutex, but must be ordered after the thread that woke it, whether
// or not that thread held the mutex. So each signal releases, and the step after the wait acquires,
// a unique address that no object has, numbered from the start of the execution.
#include <errno.h>
#include <pthread.h>

#include "runtime/base/real.hpp"
#include "runtime/hooks/hook.hpp"
#include "runtime/schedule/mutex.hpp"

using namespace plumb::runtime;

namespace {

// By thread, while it waits: the mutex to be taken again.
std::array<pthread_mutex_t*, kMaxThreads> mutex_of;

std::uint64_t bit(int thread) { return std::uint64_t{1} << thread; }

struct {
  std::uint64_t execution = 0;
  std::uint64_t count = 0;
} wakings;

Access waking(std::uint64_t number, int count, Touch touch) {
  return {(std::uint64_t{3} << 62) + number, static_cast<std::uint32_t>(count), touch};
}

// Tells that so many are woken now, and returns the first one's number.
std::uint64_t wakes(int count) {
  Execution& e = execution;
  if (wakings.execution != e.number) wakings = {e.number, 0};
  const std::uint64_t first = wakings.count;
  wakings.count += static_cast<std::uint64_t>(count);
  e.also(waking(first, count, Touch::release));
  return first;
}

int waiters(const pthread_cond_t* condition, std::array<std::uint8_t, kMaxThreads>& who) {
  int count = 0;
  for (int t = 0; t < execution.threads.made; ++t) {
    const Thread& thread = execution.threads[t];
    if (thread.waits_for == condition && thread.state == ThreadState::waiting) {
      who[count++] = static_cast<std::uint8_t>(t);
    }
  }
  return count;
}

void wake(int t, std::uint64_t number) {
  Execution& e = execution;
  pthread_mutex_t* const mutex = mutex_of[t];
  e.threads[t].waits_for = mutex;
  e.threads[t].want = WaitsFor::lock;
  Step& next = e.threads.next[t];
  next.blocks = (e.threads.timed & bit(t)) != 0;
  e.threads.timed &= ~bit(t);
  next.accesses = {touching(mutex, Touch::acquire), waking(number, 1, Touch::acquire)};
  next.count = 2;
  e.threads.set_ready(t, Mutex(mutex).is_free_for(t));
}

int wait(pthread_cond_t* condition, pthread_mutex_t* object, const Deadline& deadline,
         const void* pc) {
  Execution& e = execution;
  Mutex mutex(object);
  if (!deadline.is_valid()) return EINVAL;
  e.point(touching(condition, Touch::write), touching(object, Touch::release), pc);
  e.trace.note("wait");
  check_object(condition, pc);
  check_object(object, pc);
  if (!mutex.is_mine()) {
    if (mutex.type() == PTHREAD_MUTEX_RECURSIVE || mutex.type() == PTHREAD_MUTEX_ERRORCHECK)
      return EPERM;
    e.fail(FindingKind::misuse, "waits on a condition without holding the mutex", condition, 0, pc);
  }
  const bool returns_for_no_reason = e.options.spurious && e.choose(2, 1) == 1;
  release(object);
  mutex.give();
  e.spins.changed();
  bool in_time = true;
  bool has_turn = false;  // the step that ended the wait is the one that takes the mutex
  if (!returns_for_no_reason) {
    mutex_of[e.threads.me] = object;
    in_time = has_turn = e.block_until(touching(condition, Touch::write), condition,
                                       WaitsFor::notification, false, deadline.exists(), pc);
    if (!in_time) {
      e.trace.note("wait: timeout");
      deadline.pass();
    }
  }
  if (!has_turn) {
    e.block_until(touching(object, Touch::acquire), object, WaitsFor::lock,
                  mutex.is_free_for(e.threads.me), false, pc);
  }
  e.trace.note("lock after wait");
  check_object(object, pc);
  mutex.take();
  acquire(object);
  return in_time ? 0 : ETIMEDOUT;
}

}  // namespace

PLUMB_HOOK int pthread_cond_init(pthread_cond_t* condition, const pthread_condattr_t* attributes) {
  if (inside()) plain_access(condition, sizeof *condition, true, PLUMB_PC);
  return real().pthread_cond_init(condition, attributes);
}

PLUMB_HOOK int pthread_cond_destroy(pthread_cond_t* condition) {
  if (!inside()) return real().pthread_cond_destroy(condition);
  plain_access(condition, sizeof *condition, true, PLUMB_PC);
  std::array<std::uint8_t, kMaxThreads> who;
  if (waiters(condition, who) != 0) {
    execution.fail(FindingKind::misuse, "destroys a condition on which threads wait", condition, 0,
                   PLUMB_PC);
  }
  return 0;
}

PLUMB_HOOK int pthread_cond_wait(pthread_cond_t* condition, pthread_mutex_t* mutex) {
  return inside() ? wait(condition, mutex, {}, PLUMB_PC)
                  : real().pthread_cond_wait(condition, mutex);
}

PLUMB_HOOK int pthread_cond_timedwait(pthread_cond_t* condition, pthread_mutex_t* mutex,
                                      const timespec* until) {
  if (!inside()) return real().pthread_cond_timedwait(condition, mutex, until);
  const bool monotonic =
      (condition->__data.__wrefs & 2) != 0;  // where pthread_cond_init keeps its clock
  return wait(condition, mutex, {monotonic ? CLOCK_MONOTONIC : CLOCK_REALTIME, until}, PLUMB_PC);
}

PLUMB_HOOK int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex,
                                      clockid_t clock, const timespec* until) {
  return inside() ? wait(condition, mutex, {clock, until}, PLUMB_PC)
                  : real().pthread_cond_clockwait(condition, mutex, clock, until);
}

PLUMB_HOOK int pthread_cond_signal(pthread_cond_t* condition) {
  if (!inside()) return real().pthread_cond_signal(condition);
  Execution& e = execution;
  e.point(touching(condition, Touch::write), PLUMB_PC);
  e.trace.note("notify_one");
  check_object(condition, PLUMB_PC);
  std::array<std::uint8_t, kMaxThreads> who;
  const int count = waiters(condition, who);
  if (count == 0) {
    e.was(Touch::read);
    return 0;
  }
  const int chosen = who[e.choose(count, 0)];
  wake(chosen, wakes(1));
  e.spins.changed();
  return 0;
}

PLUMB_HOOK int pthread_cond_broadcast(pthread_cond_t* condition) {
  if (!inside()) return real().pthread_cond_broadcast(condition);
  Execution& e = execution;
  e.point(touching(condition, Touch::write), PLUMB_PC);
  e.trace.note("notify_all");
  check_object(condition, PLUMB_PC);
  std::array<std::uint8_t, kMaxThreads> who;
  const int count = waiters(condition, who);
  if (count == 0) {
    e.was(Touch::read);
    return 0;
  }
  std::uint64_t number = wakes(count);
  for (int i = 0; i < count; ++i) wake(who[i], number++);
  e.spins.changed();
  return 0;
}
