// SPDX-License-Identifier: MIT
//! MpscQueue: "enq(1) | enq(2), deq", preemptions 1: violation
//! FixedMpscQueue: "enq(1) | enq(2), deq", preemptions 3: holds
//! FixedMpscQueue: "enq(1) | enq(2) | deq, deq", preemptions 2: holds
#include "mpsc_queue.hpp"

#include <plumb/test.hpp>

#ifndef OBJECT
#define OBJECT MpscQueue
#endif
using Queue = plumb::objects::OBJECT;

int main(int argc, char** argv) {
  return plumb::test(plumb::describe<Queue>("mpsc_queue")
                         .method("enq", &Queue::enq, plumb::values(1, 2))
                         .method("deq", &Queue::deq)
                         .at_most_one_thread())
      .main(argc, argv);
}
