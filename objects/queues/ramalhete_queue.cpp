// SPDX-License-Identifier: MIT
//! RamalheteQueue: "pre enq(1); deq | enq(2), deq", preemptions 1: violation
//! FixedRamalheteQueue: "pre enq(1); deq | enq(2), deq", preemptions 3: holds
//! FixedRamalheteQueue: "enq(1), deq | enq(2), deq", preemptions 3: holds
#include "ramalhete_queue.hpp"

#include <plumb/test.hpp>

#ifndef OBJECT
#define OBJECT RamalheteQueue
#endif
using Queue = plumb::objects::OBJECT;

int main(int argc, char** argv) {
  return plumb::test(plumb::describe<Queue>("ramalhete_queue")
                         .method("enq", &Queue::enq, plumb::values(1, 2))
                         .method("deq", &Queue::deq))
      .main(argc, argv);
}
