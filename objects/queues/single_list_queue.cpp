// SPDX-License-Identifier: MIT
//! SingleListQueue: "enq(1) | enq(2); post deq, deq", preemptions 1 --ignore race: violation
//! SingleListQueue: "pre enq(1); deq | deq", preemptions 1 --ignore race: violation
//! LockedSingleListQueue: "enq(1) | enq(2); post deq, deq", preemptions 3: holds
//! LockedSingleListQueue: "pre enq(1); deq | deq", preemptions 3: holds
#include "single_list_queue.hpp"

#include <plumb/test.hpp>

#ifndef OBJECT
#define OBJECT SingleListQueue
#endif
using Queue = plumb::objects::OBJECT;

int main(int argc, char** argv) {
  return plumb::test(plumb::describe<Queue>("single_list_queue")
                         .method("enq", &Queue::enq, plumb::values(1, 2))
                         .method("deq", &Queue::deq))
      .main(argc, argv);
}
