// SPDX-License-Identifier: MIT
//! SkipQueue: "pre add(2); remove_min | remove_min, add(1), add(3)", preemptions 1: violation
//! FixedSkipQueue: "pre add(2); remove_min | remove_min, add(1), add(3)", preemptions 3: holds
#include "skip_queue.hpp"

#include <plumb/test.hpp>

#ifndef OBJECT
#define OBJECT SkipQueue
#endif
using Queue = plumb::objects::OBJECT;

int main(int argc, char** argv) {
  return plumb::test(plumb::describe<Queue>("skip_queue")
                         .method("add", &Queue::add, plumb::values(1, 2, 3))
                         .method("remove_min", &Queue::remove_min))
      .main(argc, argv);
}
