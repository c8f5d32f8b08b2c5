// SPDX-License-Identifier: MIT
//! ShannQueue: "enq(1) | deq; post deq", preemptions 1: violation
//! ShannQueue: "enq(1), enq(2) | deq", preemptions 1: violation
//! FixedShannQueue: "enq(1) | deq; post deq", preemptions 3: holds
//! FixedShannQueue: "enq(1), enq(2) | deq", preemptions 3: holds
//! FixedShannQueue: "enq(1), deq | enq(2), deq", preemptions 3: holds
#include "shann_queue.hpp"

#include <plumb/test.hpp>

#ifndef OBJECT
#define OBJECT ShannQueue
#endif
using Queue = plumb::objects::OBJECT;

int main(int argc, char** argv) {
  return plumb::test(plumb::describe<Queue>("shann_queue")
                         .method("enq", &Queue::enq, plumb::values(1, 2))
                         .method("deq", &Queue::deq))
      .main(argc, argv);
}
