// SPDX-License-Identifier: MIT
// POSIX barriers. Arriving is one step, leaving another, which the last arrival makes possible.
#include <errno.h>
#include <pthread.h>

#include "runtime/base/real.hpp"
#include "runtime/hooks/hook.hpp"
#include "runtime/schedule/sync_object.hpp"

using namespace plumb::runtime;

namespace {

// glibc's struct pthread_barrier, which is not in its headers.
struct Barrier {
  unsigned come;
  unsigned round;  // not used here
  unsigned count;
};

Barrier& data(pthread_barrier_t* barrier) { return *reinterpret_cast<Barrier*>(barrier); }

}  // namespace

PLUMB_HOOK int pthread_barrier_init(pthread_barrier_t* barrier,
                                    const pthread_barrierattr_t* attributes, unsigned count) {
  if (inside()) plain_access(barrier, sizeof *barrier, true, PLUMB_PC);
  return real().pthread_barrier_init(barrier, attributes, count);
}

PLUMB_HOOK int pthread_barrier_destroy(pthread_barrier_t* barrier) {
  if (!inside()) return real().pthread_barrier_destroy(barrier);
  plain_access(barrier, sizeof *barrier, true, PLUMB_PC);
  if (data(barrier).come != 0) {
    execution.fail(FindingKind::misuse, "destroys a barrier at which threads wait", barrier, 0,
                   PLUMB_PC);
  }
  return 0;
}

PLUMB_HOOK int pthread_barrier_wait(pthread_barrier_t* barrier) {
  if (!inside()) return real().pthread_barrier_wait(barrier);
  Execution& e = execution;
  e.point(touching(barrier, Touch::write), PLUMB_PC);
  e.trace.note("barrier");
  check_object(barrier, PLUMB_PC);
  release(barrier);
  e.spins.changed();
  Barrier& b = data(barrier);
  if (++b.come < b.count) {
    e.block_until(touching(barrier, Touch::read), barrier, WaitsFor::arrival, false, false,
                  PLUMB_PC);
    e.trace.note("past the barrier");
    acquire(barrier);
    return 0;
  }
  // Those that wait are of this round: a thread that leaves late is ready already, and stays so.
  b.come = 0;
  e.threads.refresh(barrier, [](Thread&) { return true; });
  acquire(barrier);
  return PTHREAD_BARRIER_SERIAL_THREAD;
}
