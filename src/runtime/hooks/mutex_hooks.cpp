// SPDX-License-Identifier: MIT
// Mutexes and spin locks. Taking one is a step that can be taken only while it is free, so no
// thread ever tries in vain; what POSIX leaves undefined is a finding, what it forbids by an error
// code gets that code, and a thread that locks a normal mutex twice waits for itself.
#include <errno.h>
#include <pthread.h>

#include "runtime/base/real.hpp"
#include "runtime/hooks/hook.hpp"
#include "runtime/schedule/mutex.hpp"

namespace plumb::runtime {
namespace {

// The lock that a thread last tried in vain: its release is what ends a loop of tries.
struct {
  std::uint64_t execution = 0;
  std::array<const void*, kMaxThreads> lock{};
} tried;

// Those that are held. More than these are not remembered.
struct HeldMutexes {
  struct Held {
    const void* mutex;
    int owner;  // a mutex out of scope no longer says it itself
  };
  static constexpr int kMost = 128, kAnyThread = -1;
  std::uint64_t execution = 0;
  int count = 0;
  std::array<Held, kMost> all{};

  void add(const void* mutex, int owner) {
    if (execution != plumb::runtime::execution.number) {
      execution = plumb::runtime::execution.number;
      count = 0;
    }
    if (count < kMost) all[count++] = {mutex, owner};
  }
  void remove(const void* mutex) {
    for (int i = count - 1; i >= 0; --i) {
      if (all[i].mutex != mutex) continue;
      all[i] = all[--count];
      return;
    }
  }
  /// `owner`: of this thread only; kAnyThread: of any.
  const void* find_in(const void* begin, std::size_t bytes, int owner) const {
    if (execution != plumb::runtime::execution.number) return nullptr;
    for (int i = 0; i < count; ++i) {
      const auto* const mutex = static_cast<const std::byte*>(all[i].mutex);
      const bool inside = mutex >= begin && mutex < static_cast<const std::byte*>(begin) + bytes;
      if (inside && (owner == kAnyThread || owner == all[i].owner)) return mutex;
    }
    return nullptr;
  }
};
constinit HeldMutexes held;

void try_failed(const void* lock, int owner, const void* pc) {
  Execution& e = execution;
  e.was(Touch::read);
  e.trace.note("try_lock: taken");
  if (tried.execution != e.number) tried = {e.number, {}};
  tried.lock[e.threads.me] = lock;
  e.spins.note_spin_read(lock, static_cast<std::uint64_t>(owner), pc);
}

// A thread that takes a lock, changes nothing and gives it back has only looked: it may be waiting
// for something by asking again and again.
void gave(const void* lock, bool changed, const void* pc) {
  Execution& e = execution;
  if (changed) {
    e.spins.changed();
    return;
  }
  for (int t = 0; tried.execution == e.number && t < e.threads.made; ++t) {
    if (tried.lock[t] != lock) continue;
    tried.lock[t] = nullptr;
    e.spins.spinning &= ~(std::uint64_t{1} << t);
  }
  e.spins.note_spin_read(lock, 0, pc);
}

void refuse_destroyed(const Mutex& mutex, const void* address, const void* pc) {
  if (mutex.is_destroyed()) {
    execution.fail(FindingKind::misuse, "uses a mutex that was destroyed", address, 0, pc);
  }
}

}  // namespace

void Mutex::take() {
  if (is_mine()) {
    ++data_.__count;
    return;
  }
  data_.__lock = 1;
  data_.__nusers = stamp();
  data_.__owner = execution.threads.me + 1;
  data_.__count = 1;
  const auto version = static_cast<std::uint32_t>(execution.spins.version);
  data_.__spins = static_cast<short>(version);
  data_.__elision = static_cast<short>(version >> 16);
  held.add(object_, execution.threads.me);
  execution.trace.note_taken(object_);
  execution.threads.refresh(object_, [](Thread&) { return false; });
}

void Mutex::give() {
  if (--data_.__count != 0) return;
  held.remove(object_);
  execution.trace.note_given(object_);
  data_.__lock = 0;
  data_.__nusers = 0;
  data_.__owner = 0;
  data_.__spins = data_.__elision = 0;
  execution.threads.refresh(object_, [](Thread&) { return true; });
}

const void* held_mutex_in(const void* begin, std::size_t bytes) {
  return held.find_in(begin, bytes, HeldMutexes::kAnyThread);
}

void refuse_held_in_frames_below(const void* frame) {
  const std::byte* const stack = execution.self().fiber->stack;
  const auto bytes = static_cast<std::size_t>(static_cast<const std::byte*>(frame) - stack);
  if (const void* const mutex = held.find_in(stack, bytes, execution.threads.me))
    execution.fail(FindingKind::misuse, "leaves the scope of a mutex that it holds", mutex);
}

int lock(pthread_mutex_t* object, const Deadline& deadline, const void* pc) {
  Execution& e = execution;
  Mutex mutex(object);
  check_memory(object, kObjectBytes, true, pc);
  refuse_destroyed(mutex, object, pc);
  if (mutex.is_mine() && mutex.type() == PTHREAD_MUTEX_RECURSIVE) {
    mutex.take();
    return 0;
  }
  if (mutex.is_mine() && mutex.type() == PTHREAD_MUTEX_ERRORCHECK) return EDEADLK;
  if (!mutex.is_free() && !deadline.is_valid()) return EINVAL;
  if (!e.block_until(touching(object, Touch::acquire), object, WaitsFor::lock, mutex.is_free(),
                     deadline.exists(), pc)) {
    e.was(Touch::read);
    e.trace.note("lock: timeout");
    deadline.pass();
    return ETIMEDOUT;
  }
  e.trace.note("lock");
  check_object(object, pc);
  refuse_destroyed(mutex, object, pc);
  mutex.take();
  acquire(object);
  return 0;
}

}  // namespace plumb::runtime

using namespace plumb::runtime;

PLUMB_HOOK int pthread_mutex_init(pthread_mutex_t* mutex, const pthread_mutexattr_t* attributes) {
  if (inside()) plain_access(mutex, sizeof *mutex, true, PLUMB_PC);
  return real().pthread_mutex_init(mutex, attributes);
}

PLUMB_HOOK int pthread_mutex_destroy(pthread_mutex_t* object) {
  if (!inside()) return real().pthread_mutex_destroy(object);
  plain_access(object, sizeof *object, true, PLUMB_PC);
  Mutex mutex(object);
  refuse_destroyed(mutex, object, PLUMB_PC);
  if (!mutex.is_free()) {
    execution.fail(FindingKind::misuse, "destroys a mutex that is held", object, 0, PLUMB_PC);
  }
  mutex.destroy();
  return 0;
}

PLUMB_HOOK int pthread_mutex_lock(pthread_mutex_t* mutex) {
  return inside() ? lock(mutex, {}, PLUMB_PC) : real().pthread_mutex_lock(mutex);
}

PLUMB_HOOK int pthread_mutex_timedlock(pthread_mutex_t* mutex, const timespec* until) {
  return inside() ? lock(mutex, {CLOCK_REALTIME, until}, PLUMB_PC)
                  : real().pthread_mutex_timedlock(mutex, until);
}

PLUMB_HOOK int pthread_mutex_clocklock(pthread_mutex_t* mutex, clockid_t clock,
                                       const timespec* until) {
  return inside() ? lock(mutex, {clock, until}, PLUMB_PC)
                  : real().pthread_mutex_clocklock(mutex, clock, until);
}

PLUMB_HOOK int pthread_mutex_trylock(pthread_mutex_t* object) {
  if (!inside()) return real().pthread_mutex_trylock(object);
  Execution& e = execution;
  Mutex mutex(object);
  e.point(touching(object, Touch::write), PLUMB_PC);
  e.trace.note("try_lock");
  check_object(object, PLUMB_PC);
  refuse_destroyed(mutex, object, PLUMB_PC);
  if (!mutex.is_free() && !(mutex.is_mine() && mutex.type() == PTHREAD_MUTEX_RECURSIVE)) {
    try_failed(object, mutex.owner(), PLUMB_PC);
    return EBUSY;
  }
  mutex.take();
  acquire(object);
  return 0;
}

PLUMB_HOOK int pthread_mutex_unlock(pthread_mutex_t* object) {
  if (!inside()) return real().pthread_mutex_unlock(object);
  Execution& e = execution;
  Mutex mutex(object);
  e.point(touching(object, Touch::release), PLUMB_PC);
  e.trace.note("unlock");
  check_object(object, PLUMB_PC);
  refuse_destroyed(mutex, object, PLUMB_PC);
  if (!mutex.is_mine()) {
    if (mutex.type() == PTHREAD_MUTEX_RECURSIVE || mutex.type() == PTHREAD_MUTEX_ERRORCHECK)
      return EPERM;
    e.fail(FindingKind::misuse,
           mutex.is_free() ? "unlocks a mutex that no thread holds"
                           : "unlocks a mutex that another thread holds",
           object, 0, PLUMB_PC);
  }
  const bool changed = mutex.changed_something();
  release(object);
  mutex.give();
  gave(object, changed, PLUMB_PC);
  return 0;
}

// glibc on x86-64: 1 is free, 0 held. Here: minus the number of who holds it, counted from 1; 0 was
// never initialised.
PLUMB_HOOK int pthread_spin_init(pthread_spinlock_t* spin, int shared) {
  if (inside()) plain_access(const_cast<int*>(spin), sizeof *spin, true, PLUMB_PC);
  return real().pthread_spin_init(spin, shared);
}

PLUMB_HOOK int pthread_spin_destroy(pthread_spinlock_t* spin) {
  if (!inside()) return real().pthread_spin_destroy(spin);
  int* const object = const_cast<int*>(spin);
  plain_access(object, sizeof *object, true, PLUMB_PC);
  if (*object < 0) {
    execution.fail(FindingKind::misuse, "destroys a spin lock that is held", object, 0, PLUMB_PC);
  }
  *object = 0;
  return 0;
}

namespace {

void take_spin(int* object, const void* pc) {
  Execution& e = execution;
  check_object(object, pc);
  if (*object == 0)
    e.fail(FindingKind::misuse, "uses a spin lock that is not initialised", object, 0, pc);
  *object = -(e.threads.me + 1);
  acquire(object);
  e.trace.note_taken(object);
  e.threads.refresh(object, [](Thread&) { return false; });
}

}  // namespace

PLUMB_HOOK int pthread_spin_lock(pthread_spinlock_t* spin) {
  if (!inside()) return real().pthread_spin_lock(spin);
  int* const object = const_cast<int*>(spin);
  check_memory(object, sizeof *object, true, PLUMB_PC);
  execution.block_until(touching(object, Touch::acquire), object, WaitsFor::lock, *object >= 0,
                        false, PLUMB_PC);
  take_spin(object, PLUMB_PC);
  return 0;
}

PLUMB_HOOK int pthread_spin_trylock(pthread_spinlock_t* spin) {
  if (!inside()) return real().pthread_spin_trylock(spin);
  int* const object = const_cast<int*>(spin);
  execution.point(touching(object, Touch::write), PLUMB_PC);
  if (*object < 0) {
    check_object(object, PLUMB_PC);
    try_failed(object, *object, PLUMB_PC);
    return EBUSY;
  }
  take_spin(object, PLUMB_PC);
  return 0;
}

PLUMB_HOOK int pthread_spin_unlock(pthread_spinlock_t* spin) {
  if (!inside()) return real().pthread_spin_unlock(spin);
  Execution& e = execution;
  int* const object = const_cast<int*>(spin);
  e.point(touching(object, Touch::release), PLUMB_PC);
  e.trace.note("unlock");
  check_object(object, PLUMB_PC);
  if (*object != -(e.threads.me + 1)) {
    e.fail(FindingKind::misuse, "unlocks a spin lock that it does not hold", object, 0, PLUMB_PC);
  }
  release(object);
  *object = 1;
  e.trace.note_given(object);
  e.threads.refresh(object, [](Thread&) { return true; });
  e.spins.changed();
  return 0;
}
