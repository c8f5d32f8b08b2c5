// SPDX-License-Identifier: MIT
//! QuasiPriorityQueue: "pre enq(1,1), enq(2,2); deq_min | deq_min", preemptions 0: nondeterministic
//! QuasiPriorityQueue K1: "pre enq(1,1), enq(2,2), enq(3,3), enq(4,4); deq_min | deq_min; post deq_min, deq_min", preemptions 3 --allow-nondeterminism deq_min: holds
//! QuasiPriorityQueue K1: "enq(2,2), deq_min | enq(1,1), deq_min", preemptions 2 --allow-nondeterminism deq_min: holds
//! QuasiPriorityQueue K0: "enq(2,2), deq_min | enq(1,1), deq_min", preemptions 3: holds
//! QuasiPriorityQueueB2: "pre enq(1,1), enq(2,2), enq(3,3), enq(4,4); deq_min | deq_min; post deq_min, deq_min", preemptions 1 --allow-nondeterminism deq_min: violation
//! QuasiPriorityQueueB2 K0: "pre enq(1,1), enq(2,2), enq(3,3); deq_min | deq_min; post deq_min", preemptions 1: violation
#include "quasi_priority_queue.hpp"

#include <plumb/test.hpp>

#include "../quasi_factor.hpp"

#ifndef OBJECT
#define OBJECT QuasiPriorityQueue
#endif
using Queue = plumb::objects::OBJECT<kFactor>;

int main(int argc, char** argv) {
  return plumb::test(
             plumb::describe<Queue>("quasi_priority_queue")
                 .method("enq", &Queue::enq, plumb::values(1, 2, 3, 4), plumb::values(1, 2, 3, 4))
                 .method("deq_min", &Queue::deq_min))
      .main(argc, argv);
}
