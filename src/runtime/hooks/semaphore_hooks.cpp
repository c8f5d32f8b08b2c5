// SPDX-License-Identifier: MIT
// POSIX semaphores. As in glibc, the value is in the first four bytes.
#include <errno.h>
#include <limits.h>
#include <semaphore.h>

#include "runtime/base/real.hpp"
#include "runtime/hooks/hook.hpp"
#include "runtime/schedule/sync_object.hpp"
#include "runtime/schedule/virtual_time.hpp"

using namespace plumb::runtime;

namespace {

unsigned& value_of(sem_t* semaphore) { return *reinterpret_cast<unsigned*>(semaphore); }

void refresh(sem_t* semaphore) {
  const bool positive = value_of(semaphore) > 0;
  execution.threads.refresh(semaphore, [positive](Thread&) { return positive; });
}

int failed(int error) {
  errno = error;
  return -1;
}

int wait(sem_t* semaphore, const Deadline& deadline, const void* pc) {
  Execution& e = execution;
  check_memory(semaphore, kObjectBytes, true, pc);
  const bool positive = value_of(semaphore) > 0;
  if (!positive && !deadline.is_valid()) return failed(EINVAL);
  if (!e.block_until(touching(semaphore, Touch::write), semaphore, WaitsFor::post, positive,
                     deadline.exists(), pc)) {
    e.was(Touch::read);
    e.trace.note("sem_wait: timeout");
    deadline.pass();
    return failed(ETIMEDOUT);
  }
  e.trace.note("sem_wait");
  check_object(semaphore, pc);
  --value_of(semaphore);
  acquire(semaphore);
  refresh(semaphore);
  return 0;
}

}  // namespace

PLUMB_HOOK int sem_init(sem_t* semaphore, int shared, unsigned value) {
  if (inside()) plain_access(semaphore, sizeof *semaphore, true, PLUMB_PC);
  return real().sem_init(semaphore, shared, value);
}

PLUMB_HOOK int sem_destroy(sem_t* semaphore) {
  if (!inside()) return real().sem_destroy(semaphore);
  plain_access(semaphore, sizeof *semaphore, true, PLUMB_PC);
  for (int t = 0; t < execution.threads.made; ++t) {
    const Thread& thread = execution.threads[t];
    if (thread.waits_for == semaphore && thread.state == ThreadState::waiting) {
      execution.fail(FindingKind::misuse, "destroys a semaphore on which threads wait", semaphore,
                     0, PLUMB_PC);
    }
  }
  return 0;
}

PLUMB_HOOK int sem_wait(sem_t* semaphore) {
  return inside() ? wait(semaphore, {}, PLUMB_PC) : real().sem_wait(semaphore);
}

PLUMB_HOOK int sem_timedwait(sem_t* semaphore, const timespec* until) {
  return inside() ? wait(semaphore, {CLOCK_REALTIME, until}, PLUMB_PC)
                  : real().sem_timedwait(semaphore, until);
}

PLUMB_HOOK int sem_clockwait(sem_t* semaphore, clockid_t clock, const timespec* until) {
  return inside() ? wait(semaphore, {clock, until}, PLUMB_PC)
                  : real().sem_clockwait(semaphore, clock, until);
}

PLUMB_HOOK int sem_trywait(sem_t* semaphore) {
  if (!inside()) return real().sem_trywait(semaphore);
  Execution& e = execution;
  e.point(touching(semaphore, Touch::write), PLUMB_PC);
  e.trace.note("sem_trywait");
  check_object(semaphore, PLUMB_PC);
  if (value_of(semaphore) == 0) {
    e.was(Touch::read);
    e.spins.note_spin_read(semaphore, 0, PLUMB_PC);
    return failed(EAGAIN);
  }
  --value_of(semaphore);
  acquire(semaphore);
  refresh(semaphore);
  return 0;
}

PLUMB_HOOK int sem_post(sem_t* semaphore) {
  if (!inside()) return real().sem_post(semaphore);
  Execution& e = execution;
  e.point(touching(semaphore, Touch::write), PLUMB_PC);
  e.trace.note("sem_post");
  check_object(semaphore, PLUMB_PC);
  if (value_of(semaphore) == SEM_VALUE_MAX) return failed(EOVERFLOW);
  release(semaphore);
  ++value_of(semaphore);
  refresh(semaphore);
  e.spins.changed();
  return 0;
}

PLUMB_HOOK int sem_getvalue(sem_t* semaphore, int* value) {
  if (!inside()) return real().sem_getvalue(semaphore, value);
  Execution& e = execution;
  e.point(touching(semaphore, Touch::read), PLUMB_PC);
  e.trace.note("sem_getvalue");
  check_memory(semaphore, kObjectBytes, false, PLUMB_PC);
  *value = static_cast<int>(value_of(semaphore));
  e.spins.note_spin_read(semaphore, value_of(semaphore), PLUMB_PC);
  return 0;
}
