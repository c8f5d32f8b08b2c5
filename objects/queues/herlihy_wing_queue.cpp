// SPDX-License-Identifier: MIT
//! OneScanQueue: "pre enq(1); deq | enq(2), deq", preemptions 1: violation
//! HerlihyWingQueue: "pre enq(1); deq | enq(2), deq", preemptions 3: holds
//! HerlihyWingQueue: "enq(1), deq | enq(2), deq", preemptions 3: holds
//! HerlihyWingQueue: "enq(1) | enq(2) | deq, deq", preemptions 2: holds
#include "herlihy_wing_queue.hpp"

#include <plumb/test.hpp>

#ifndef OBJECT
#define OBJECT OneScanQueue
#endif
using Queue = plumb::objects::OBJECT;

int main(int argc, char** argv) {
  return plumb::test(plumb::describe<Queue>("herlihy_wing_queue")
                         .method("enq", &Queue::enq, plumb::values(1, 2))
                         .method("deq", &Queue::deq))
      .main(argc, argv);
}
