// SPDX-License-Identifier: MIT
//! SemaphoreSlim: "wait, current_count | release(1), try_wait", preemptions 2: holds
//! SemaphoreSlim: "wait | wait | release(2), current_count", preemptions 2: holds
//! SemaphoreSlim: "wait, release(1) | release(1), current_count | try_wait", preemptions 2: holds
//! SemaphoreSlim: "pre release(1); try_wait | release(1)", preemptions 1: alarm
#include "semaphore_slim.hpp"

#include <plumb/test.hpp>

using plumb::objects::SemaphoreSlim;

int main(int argc, char** argv) {
  return plumb::test(plumb::describe<SemaphoreSlim>("SemaphoreSlim")
                         .method("current_count", &SemaphoreSlim::current_count)
                         .method("release", &SemaphoreSlim::release, plumb::values(1, 2))
                         .method("wait", &SemaphoreSlim::wait)
                         .method("try_wait", &SemaphoreSlim::try_wait))
      .main(argc, argv);
}
