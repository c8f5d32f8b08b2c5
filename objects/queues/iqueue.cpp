// SPDX-License-Identifier: MIT
//! IQueue: "enq(1) | enq(2), deq", preemptions 1: violation
//! FixedIQueue: "enq(1) | enq(2), deq", preemptions 3: holds
//! FixedIQueue: "enq(1), deq | enq(2), deq", preemptions 3: holds
#include "iqueue.hpp"

#include <plumb/test.hpp>

#ifndef OBJECT
#define OBJECT IQueue
#endif
using Queue = plumb::objects::OBJECT;

int main(int argc, char** argv) {
  return plumb::test(plumb::describe<Queue>("iqueue")
                         .method("enq", &Queue::enq, plumb::values(1, 2))
                         .method("deq", &Queue::deq))
      .main(argc, argv);
}
