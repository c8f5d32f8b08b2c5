// SPDX-License-Identifier: MIT
//! VyukovQueue: "enq(1) | enq(2), deq", preemptions 1: violation
//! VyukovQueue: "pre enq(1), enq(2); deq | deq, enq(3)", preemptions 1: violation
//! FixedVyukovQueue: "enq(1) | enq(2), deq", preemptions 3: holds
//! FixedVyukovQueue: "pre enq(1), enq(2); deq | deq, enq(3)", preemptions 3: holds
#include "vyukov_queue.hpp"

#include <plumb/test.hpp>

#ifndef OBJECT
#define OBJECT VyukovQueue
#endif
using Queue = plumb::objects::OBJECT;

int main(int argc, char** argv) {
  return plumb::test(plumb::describe<Queue>("vyukov_queue")
                         .method("enq", &Queue::enq, plumb::values(1, 2, 3))
                         .method("deq", &Queue::deq))
      .main(argc, argv);
}
