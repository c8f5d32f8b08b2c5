// SPDX-License-Identifier: MIT
//! ImpatientQueue: "pre enq(1), enq(2); deq | deq", preemptions 1: violation
#include "impatient_queue.hpp"

#include <plumb/test.hpp>

using Queue = plumb::objects::ImpatientQueue;

int main(int argc, char** argv) {
  return plumb::test(plumb::describe<Queue>("ImpatientQueue")
                         .method("enq", &Queue::enq, plumb::values(1, 2))
                         .method("deq", &Queue::deq))
      .main(argc, argv);
}
