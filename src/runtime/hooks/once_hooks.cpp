// SPDX-License-Identifier: MIT
// What is done once: pthread_once (and so std::call_once) and function-local statics.
//
// The compiled code looks at a static's guard itself, and calls these only if it is not initialised
// yet. Those of system libraries are not put back between executions: they are done without
// scheduling points, or the first execution would differ from all others.
#include <errno.h>
#include <pthread.h>

#include "runtime/base/real.hpp"
#include "runtime/hooks/hook.hpp"
#include "runtime/schedule/sync_object.hpp"

using namespace plumb::runtime;

namespace {

// pthread_once_t as in glibc.
constexpr int kUntouched = 0, kBegun = 1, kDone = 2;

void set_once(pthread_once_t* once, int state, bool with_point, const void* pc) {
  Execution& e = execution;
  if (with_point) e.point(touching(once, Touch::write), pc);
  *once = state;
  e.trace.note_given(once);
  release(once);
  e.threads.refresh(once, [](Thread&) { return true; });
  e.spins.changed();
}

// An initialiser that throws leaves it to the next.
struct Attempt {
  pthread_once_t* once;
  bool with_point;
  const void* pc;
  bool done = false;
  ~Attempt() {
    if (!done) set_once(once, kUntouched, false, pc);
  }
};

// The guard of a static: its first byte is what compiled code looks at; the others are the
// library's.
struct Guard {
  std::uint8_t done;
  std::uint8_t begun;
  std::uint8_t unused[2];
  std::uint32_t owner;
};

}  // namespace

PLUMB_HOOK int pthread_once(pthread_once_t* once, void (*initialise)()) {
  if (!inside()) return real().pthread_once(once, initialise);
  Execution& e = execution;
  const bool with_point = is_reset(once);
  const bool is_step = with_point || *once == kBegun;
  if (is_step) {
    e.block_until(touching(once, Touch::write), once, WaitsFor::initialisation, *once != kBegun,
                  false, PLUMB_PC);
    e.trace.note("once");
  }
  check_object(once, PLUMB_PC);
  if (*once == kDone) {
    // Else (who unwinds the stack comes here) the step is another one, and nothing about it
    // changes.
    if (is_step) e.was(Touch::read);
    acquire(once);
    return 0;
  }
  *once = kBegun;
  e.trace.note_taken(once);
  acquire(once);
  e.threads.refresh(once, [](Thread&) { return false; });
  Attempt attempt{once, with_point, PLUMB_PC};
  initialise();
  attempt.done = true;
  set_once(once, kDone, with_point, PLUMB_PC);
  return 0;
}

namespace __cxxabiv1 {
PLUMB_HOOK int __cxa_guard_acquire(__guard* object) {
  if (!inside()) return real().__cxa_guard_acquire(object);
  auto* const guard = reinterpret_cast<Guard*>(object);
  Execution& e = execution;
  if (guard->begun != 0 && guard->owner == e.threads.me + 1U) {
    e.fail(FindingKind::misuse, "the initialiser of a static variable enters itself recursively",
           guard, 1, PLUMB_PC);
  }
  const bool is_step = is_reset(guard) || guard->begun != 0;
  if (is_step) {
    e.block_until({address_of(guard), 1, Touch::write}, guard, WaitsFor::initialisation,
                  guard->begun == 0, false, PLUMB_PC);
  }
  if (guard->done != 0) {
    if (is_step) e.was(Touch::read);
    acquire(guard);
    return 0;
  }
  guard->begun = 1;
  e.trace.note_taken(guard);
  guard->owner = e.threads.me + 1U;
  acquire(guard);
  e.threads.refresh(guard, [](Thread&) { return false; });
  return 1;
}
}  // namespace __cxxabiv1

namespace {

void end_guard(Guard* guard, bool done, const void* pc) {
  Execution& e = execution;
  if (is_reset(guard)) e.point({address_of(guard), 1, Touch::write}, pc);
  guard->done = done ? 1 : 0;
  guard->begun = 0;
  e.trace.note_given(guard);
  guard->owner = 0;
  release(guard);
  e.threads.refresh(guard, [](Thread&) { return true; });
  e.spins.changed();
}

}  // namespace

namespace __cxxabiv1 {
PLUMB_HOOK void __cxa_guard_release(__guard* object) noexcept {
  if (inside()) end_guard(reinterpret_cast<Guard*>(object), true, PLUMB_PC);
  else real().__cxa_guard_release(object);
}

PLUMB_HOOK void __cxa_guard_abort(__guard* object) noexcept {
  if (inside()) end_guard(reinterpret_cast<Guard*>(object), false, PLUMB_PC);
  else real().__cxa_guard_abort(object);
}
}  // namespace __cxxabiv1
