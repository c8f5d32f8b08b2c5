// SPDX-License-Identifier: MIT
// Threads that the program under test makes itself become fibers like those of the harness.
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <unwind.h>

#include "runtime/base/real.hpp"
#include "runtime/hooks/hook.hpp"
#include "runtime/schedule/execution.hpp"
#include "runtime/schedule/virtual_time.hpp"

using namespace plumb::runtime;

namespace {

// pthread_t is the address in FS, for fibers too.
int number_of(pthread_t id) {
  for (int t = 0; t < execution.threads.made; ++t) {
    if (execution.threads[t].fiber->fs == id) return t;
  }
  return -1;
}

int join(pthread_t id, void** result, const Deadline& deadline, const void* pc) {
  const int number = number_of(id);
  if (number < 0) return ESRCH;
  Thread& thread = execution.threads[number];
  if (number == execution.threads.me) return EDEADLK;
  if (thread.detached || thread.joined) return EINVAL;
  if (!deadline.is_valid()) return EINVAL;
  if (!execution.join(number, deadline.exists(), pc)) {
    deadline.pass();
    return ETIMEDOUT;
  }
  thread.joined = true;
  if (result != nullptr) *result = thread.result;
  return 0;
}

// --- pthread_exit: destructors of what is on the stack run, as in glibc --------------------------

std::array<_Unwind_Exception, kMaxThreads> unwinding;

_Unwind_Reason_Code go_on_unwinding(int, _Unwind_Action, _Unwind_Exception_Class,
                                    _Unwind_Exception*, _Unwind_Context*, void*) {
  return _URC_NO_REASON;
}

// A `catch (...)` has ended. That of the fiber's outermost function has first said that it is the
// one.
void caught(_Unwind_Reason_Code, _Unwind_Exception*) {
  if (inside() && execution.self().exiting) {
    execution.fail(FindingKind::misuse,
                   "a `catch (...)` does not rethrow what pthread_exit throws");
  }
}

[[noreturn]] void unsupported(const char* what, const void* pc) {
  execution.fail(FindingKind::misuse, what, nullptr, 0, pc);
}

}  // namespace

PLUMB_HOOK int pthread_create(pthread_t* id, const pthread_attr_t* attributes,
                              void* (*function)(void*), void* argument) {
  if (!inside()) return real().pthread_create(id, attributes, function, argument);
  int detached = PTHREAD_CREATE_JOINABLE;
  if (attributes != nullptr) pthread_attr_getdetachstate(attributes, &detached);
  const int number = execution.make_thread(function, argument);
  if (number < 0) return EAGAIN;
  execution.threads[number].detached = detached == PTHREAD_CREATE_DETACHED;
  *id = execution.threads[number].fiber->fs;
  return 0;
}

PLUMB_HOOK int pthread_join(pthread_t id, void** result) {
  return inside() ? join(id, result, {}, PLUMB_PC) : real().pthread_join(id, result);
}

PLUMB_HOOK int pthread_timedjoin_np(pthread_t id, void** result, const timespec* until) {
  return inside() ? join(id, result, {CLOCK_REALTIME, until}, PLUMB_PC)
                  : real().pthread_timedjoin_np(id, result, until);
}

PLUMB_HOOK int pthread_clockjoin_np(pthread_t id, void** result, clockid_t clock,
                                    const timespec* until) {
  return inside() ? join(id, result, {clock, until}, PLUMB_PC)
                  : real().pthread_clockjoin_np(id, result, clock, until);
}

PLUMB_HOOK int pthread_tryjoin_np(pthread_t id, void** result) {
  if (!inside()) return real().pthread_tryjoin_np(id, result);
  Execution& e = execution;
  const int number = number_of(id);
  if (number < 0) return ESRCH;
  if (number == e.threads.me) return EDEADLK;
  Thread& thread = e.threads[number];
  e.point({reinterpret_cast<std::uint64_t>(&thread), 1, Touch::read}, PLUMB_PC);
  if (thread.state != ThreadState::ended) {
    e.spins.note_spin_read(&thread, 0, PLUMB_PC);
    return EBUSY;
  }
  return join(id, result, {}, PLUMB_PC);
}

PLUMB_HOOK int pthread_detach(pthread_t id) {
  if (!inside()) return real().pthread_detach(id);
  const int number = number_of(id);
  if (number < 0) return ESRCH;
  if (execution.threads[number].detached) return EINVAL;
  execution.threads[number].detached = true;
  return 0;
}

PLUMB_HOOK __attribute__((noreturn)) void pthread_exit(void* result) {
  if (!inside()) {
    real().pthread_exit(result);
    __builtin_unreachable();
  }
  Thread& thread = execution.self();
  thread.result = result;
  thread.exiting = true;
  _Unwind_Exception& exception = unwinding[execution.threads.me];
  exception = {};
  exception.exception_cleanup = caught;
  _Unwind_ForcedUnwind(&exception, go_on_unwinding, nullptr);
  // The stack has a function without tables, which cannot be unwound.
  thread.exiting = false;
  execution.end_thread(result);
}

// The kernel and glibc know only the sleeping threads that lend fibers their storage: what would
// act on those must not reach them.
PLUMB_HOOK int pthread_cancel(pthread_t id) {
  if (!inside()) return real().pthread_cancel(id);
  unsupported("pthread_cancel: the explorer cannot cancel threads", PLUMB_PC);
}

PLUMB_HOOK int pthread_kill(pthread_t id, int signal) {
  if (!inside()) return real().pthread_kill(id, signal);
  const int number = number_of(id);
  if (number < 0) return ESRCH;
  if (signal == 0) return 0;
  if (number == execution.threads.me) return raise(signal);
  unsupported("pthread_kill: the explorer does not deliver signals to other threads", PLUMB_PC);
}

PLUMB_HOOK int pthread_getattr_np(pthread_t id, pthread_attr_t* attributes) {
  if (!inside()) return real().pthread_getattr_np(id, attributes);
  const int number = number_of(id);
  if (number < 0) return ESRCH;
  const Thread& thread = execution.threads[number];
  pthread_attr_init(attributes);
  pthread_attr_setdetachstate(attributes,
                              thread.detached ? PTHREAD_CREATE_DETACHED : PTHREAD_CREATE_JOINABLE);
  return pthread_attr_setstack(attributes, thread.fiber->stack, kStackBytes);
}

PLUMB_HOOK int sched_yield() {
  if (!inside()) return real().sched_yield();
  execution.give_way(PLUMB_PC);
  return 0;
}

// Numbers that are the same in every execution. Code that spreads its data by processor finds all
// threads on one, where they meet.
PLUMB_HOOK int gettid() {
  constexpr int kFirst = 1000;
  if (!inside()) return real().gettid();
  execution.read_thread_id = true;
  return kFirst + execution.threads.me;
}

// A fiber's thread pointer is its own, so that the function itself is right.
PLUMB_HOOK pthread_t pthread_self() {
  if (inside()) execution.read_thread_id = true;
  return real().pthread_self();
}

PLUMB_HOOK int sched_getcpu() { return inside() ? 0 : real().sched_getcpu(); }
