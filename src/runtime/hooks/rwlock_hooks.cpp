// SPDX-License-Identifier: MIT
// Locks for readers and writers. As glibc's default, readers do not wait for a writer that waits.
//
// glibc's fields: __cur_writer is who writes, counted from 1; __readers how many read. Steps touch
// the lock by writing: taking it to read and giving it back do not exclude each other, as those of
// a mutex do.
#include <errno.h>
#include <pthread.h>

#include "runtime/base/real.hpp"
#include "runtime/hooks/hook.hpp"
#include "runtime/schedule/sync_object.hpp"
#include "runtime/schedule/virtual_time.hpp"

using namespace plumb::runtime;

namespace {

constexpr WaitsFor to_read = WaitsFor::shared_lock, to_write = WaitsFor::lock;

bool is_free(const pthread_rwlock_t* lock, WaitsFor want) {
  return lock->__data.__cur_writer == 0 && (want == to_read || lock->__data.__readers == 0);
}

void refresh(const pthread_rwlock_t* lock) {
  execution.threads.refresh(lock,
                            [lock](const Thread& thread) { return is_free(lock, thread.want); });
}

// What readers have done before they give the lock back is seen by writers, not by other readers:
// they release to a clock of their own, inside the lock.
const void* clock_of_readers(const pthread_rwlock_t* lock) { return &lock->__data.__readers + 1; }

void taken(pthread_rwlock_t* lock, WaitsFor want) {
  execution.trace.note_taken(lock, want == to_read);
  if (want == to_read) {
    ++lock->__data.__readers;
    execution.shares();
  } else {
    lock->__data.__cur_writer = execution.threads.me + 1;
    acquire(clock_of_readers(lock));
  }
  acquire(lock);
  refresh(lock);
}

int take(pthread_rwlock_t* lock, WaitsFor want, const Deadline& deadline, const void* pc) {
  Execution& e = execution;
  check_memory(lock, kObjectBytes, true, pc);
  if (lock->__data.__cur_writer == e.threads.me + 1) return EDEADLK;
  if (!is_free(lock, want) && !deadline.is_valid()) return EINVAL;
  if (!e.block_until(touching(lock, Touch::write), lock, want, is_free(lock, want),
                     deadline.exists(), pc)) {
    e.was(Touch::read);
    e.trace.note(want == to_read ? "lock_shared: timeout" : "lock: timeout");
    deadline.pass();
    return ETIMEDOUT;
  }
  e.trace.note(want == to_read ? "lock_shared" : "lock");
  check_object(lock, pc);
  taken(lock, want);
  return 0;
}

int try_to_take(pthread_rwlock_t* lock, WaitsFor want, const void* pc) {
  Execution& e = execution;
  e.point(touching(lock, Touch::write), pc);
  e.trace.note(want == to_read ? "try_lock_shared" : "try_lock");
  check_object(lock, pc);
  if (!is_free(lock, want)) {
    e.was(Touch::read);
    e.spins.note_spin_read(lock, lock->__data.__readers, pc);
    return EBUSY;
  }
  taken(lock, want);
  return 0;
}

}  // namespace

PLUMB_HOOK int pthread_rwlock_init(pthread_rwlock_t* lock, const pthread_rwlockattr_t* attributes) {
  if (inside()) plain_access(lock, sizeof *lock, true, PLUMB_PC);
  return real().pthread_rwlock_init(lock, attributes);
}

PLUMB_HOOK int pthread_rwlock_destroy(pthread_rwlock_t* lock) {
  if (!inside()) return real().pthread_rwlock_destroy(lock);
  plain_access(lock, sizeof *lock, true, PLUMB_PC);
  if (!is_free(lock, to_write)) {
    execution.fail(FindingKind::misuse, "destroys a lock that is held", lock, 0, PLUMB_PC);
  }
  return 0;
}

#define PLUMB_RWLOCK(letter, want)                                                                 \
  PLUMB_HOOK int pthread_rwlock_##letter##lock(pthread_rwlock_t* lock) {                           \
    return inside() ? take(lock, want, {}, PLUMB_PC) : real().pthread_rwlock_##letter##lock(lock); \
  }                                                                                                \
  PLUMB_HOOK int pthread_rwlock_try##letter##lock(pthread_rwlock_t* lock) {                        \
    return inside() ? try_to_take(lock, want, PLUMB_PC)                                            \
                    : real().pthread_rwlock_try##letter##lock(lock);                               \
  }                                                                                                \
  PLUMB_HOOK int pthread_rwlock_timed##letter##lock(pthread_rwlock_t* lock,                        \
                                                    const timespec* until) {                       \
    return inside() ? take(lock, want, {CLOCK_REALTIME, until}, PLUMB_PC)                          \
                    : real().pthread_rwlock_timed##letter##lock(lock, until);                      \
  }                                                                                                \
  PLUMB_HOOK int pthread_rwlock_clock##letter##lock(pthread_rwlock_t* lock, clockid_t clock,       \
                                                    const timespec* until) {                       \
    return inside() ? take(lock, want, {clock, until}, PLUMB_PC)                                   \
                    : real().pthread_rwlock_clock##letter##lock(lock, clock, until);               \
  }
PLUMB_RWLOCK(rd, to_read)
PLUMB_RWLOCK(wr, to_write)

PLUMB_HOOK int pthread_rwlock_unlock(pthread_rwlock_t* lock) {
  if (!inside()) return real().pthread_rwlock_unlock(lock);
  Execution& e = execution;
  e.point(touching(lock, Touch::write), PLUMB_PC);
  e.trace.note("unlock");
  check_object(lock, PLUMB_PC);
  auto& data = lock->__data;
  if (data.__cur_writer == e.threads.me + 1) {
    data.__cur_writer = 0;
    release(lock);
  } else if (data.__cur_writer == 0 && data.__readers > 0) {
    --data.__readers;
    e.shares();
    release(clock_of_readers(lock));
  } else {
    e.fail(FindingKind::misuse, "unlocks a lock that it does not hold", lock, 0, PLUMB_PC);
  }
  e.trace.note_given(lock);
  refresh(lock);
  e.spins.changed();
  return 0;
}
