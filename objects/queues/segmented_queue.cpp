// SPDX-License-Identifier: MIT
//! SegmentedQueue: "pre enq(1); deq | enq(2), deq", preemptions 1: violation
//! FixedSegmentedQueue: "pre enq(1); deq | enq(2), deq", preemptions 3: holds
#include "segmented_queue.hpp"

#include <plumb/test.hpp>

#ifndef OBJECT
#define OBJECT SegmentedQueue
#endif
using Queue = plumb::objects::OBJECT;

int main(int argc, char** argv) {
  return plumb::test(plumb::describe<Queue>("segmented_queue")
                         .method("enq", &Queue::enq, plumb::values(1, 2))
                         .method("deq", &Queue::deq))
      .main(argc, argv);
}
