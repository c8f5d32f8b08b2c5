// SPDX-License-Identifier: MIT
//! "pre release; try_wait | release", preemptions 1: alarm
//! "pre release; try_wait | try_wait, release", preemptions 2: alarm
//! "release | release", preemptions 2: quiet
#include "hurried_semaphore.hpp"

#include <plumb/test.hpp>

using plumb::objects::HurriedSemaphore;

int main(int argc, char** argv) {
  return plumb::test(plumb::describe<HurriedSemaphore>("HurriedSemaphore")
                         .method("release", &HurriedSemaphore::release)
                         .method("try_wait", &HurriedSemaphore::try_wait))
      .main(argc, argv);
}
