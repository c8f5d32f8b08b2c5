// SPDX-License-Identifier: MIT
//! PerProducerQueue: "enq(1) | enq(2), deq, enq(2); post deq", preemptions 1: violation
//! PerProducerQueue: "enq(1), enq(2) | deq, deq", preemptions 2: holds
#include "per_producer_queue.hpp"

#include <plumb/test.hpp>

using Queue = plumb::objects::PerProducerQueue;

int main(int argc, char** argv) {
  return plumb::test(plumb::describe<Queue>("PerProducerQueue")
                         .method("enq", &Queue::enq, plumb::values(1, 2))
                         .method("deq", &Queue::deq))
      .main(argc, argv);
}
