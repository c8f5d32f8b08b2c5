// SPDX-License-Identifier: MIT
//! MichaelScottQueue: "pre enq(1), enq(2); deq | deq", preemptions 3: holds
//! MichaelScottQueue: "enq(1), deq | enq(2), deq", preemptions 3: holds
#include "michael_scott_queue.hpp"

#include <plumb/test.hpp>

using Queue = plumb::objects::MichaelScottQueue<int>;

int main(int argc, char** argv) {
  return plumb::test(plumb::describe<Queue>("MichaelScottQueue")
                         .method("enq", &Queue::enq, plumb::values(1, 2))
                         .method("deq", &Queue::deq))
      .main(argc, argv);
}
