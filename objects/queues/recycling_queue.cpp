// SPDX-License-Identifier: MIT
//! UncountedQueue: "enq(1), deq | enq(2), deq, enq(3)", preemptions 2: violation
//! UncountedQueue: "enq(1), enq(4) | enq(2), deq, enq(3); post deq, deq, deq", preemptions 2: violation
//! ForgetfulQueue: "enq(1), deq | enq(2), deq, enq(3)", preemptions 2: violation
//! ForgetfulQueue: "enq(1), enq(4) | enq(2), deq, enq(3); post deq, deq, deq", preemptions 2: violation
//! RecyclingQueue: "enq(1), deq | enq(2), deq, enq(3)", preemptions 2: holds
//! RecyclingQueue: "enq(1), enq(4) | enq(2), deq, enq(3); post deq, deq, deq", preemptions 2: holds
#include "recycling_queue.hpp"

#include <plumb/test.hpp>

#ifndef OBJECT
#define OBJECT UncountedQueue
#endif
using Queue = plumb::objects::OBJECT;

int main(int argc, char** argv) {
  return plumb::test(plumb::describe<Queue>("recycling_queue")
                         .method("enq", &Queue::enq, plumb::values(1, 2, 3, 4))
                         .method("deq", &Queue::deq))
      .main(argc, argv);
}
