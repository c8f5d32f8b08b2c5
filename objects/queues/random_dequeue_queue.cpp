// SPDX-License-Identifier: MIT
//! RandomDequeueQueue: "pre enq(1), enq(2); deq | deq", preemptions 0: nondeterministic
//! RandomDequeueQueue: "enq(1), deq | deq", preemptions 2: holds
#include "random_dequeue_queue.hpp"

#include <plumb/test.hpp>

using Queue = plumb::objects::RandomDequeueQueue;

int main(int argc, char** argv) {
  return plumb::test(plumb::describe<Queue>("RandomDequeueQueue")
                         .method("enq", &Queue::enq, plumb::values(1, 2))
                         .method("deq", &Queue::deq))
      .main(argc, argv);
}
