// SPDX-License-Identifier: MIT
//! SpscQueue: "enq(1) | deq", preemptions 1: stuck
//! FixedSpscQueue: "enq(1) | deq", preemptions 3: holds
//! FixedSpscQueue: "enq(1), enq(2) | deq, deq", preemptions 3: holds
#include "spsc_queue.hpp"

#include <plumb/test.hpp>

#ifndef OBJECT
#define OBJECT SpscQueue
#endif
using Queue = plumb::objects::OBJECT;

int main(int argc, char** argv) {
  return plumb::test(plumb::describe<Queue>("spsc_queue")
                         .method("enq", &Queue::enq, plumb::values(1, 2))
                         .only_on(0)
                         .method("deq", &Queue::deq)
                         .only_on(1))
      .main(argc, argv);
}
