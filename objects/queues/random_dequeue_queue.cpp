// SPDX-License-Identifier: MIT
//! RandomDequeueQueue: "pre enq(1), enq(2); deq | deq", preemptions 0: nondeterministic
//! RandomDequeueQueue K1: "enq(1), deq | deq", preemptions 2: holds
//! RandomDequeueQueue K0: "enq(1), deq | enq(2), deq", preemptions 3: holds
//! FixedRandomDequeueQueue: "pre enq(1), enq(2); deq | deq", preemptions 0: nondeterministic
//! FixedRandomDequeueQueue K1: "pre enq(1), enq(2), enq(3); deq, deq | deq", preemptions 3 --allow-nondeterminism deq: holds
//! FixedRandomDequeueQueue K1: "enq(1), deq | enq(2), deq", preemptions 2 --allow-nondeterminism deq: holds
//! FixedRandomDequeueQueue K0: "enq(1), deq | enq(2), deq", preemptions 3: holds
//! RandomDequeueQueue K1: "pre enq(1), enq(2), enq(3); deq, deq | deq", preemptions 2 --spec queue --quasi deq=1 --relaxation strict: violation
//! RandomDequeueQueue K1: "pre enq(1), enq(2), enq(3); deq, deq | deq", preemptions 2 --spec queue --quasi deq=1 --relaxation distance: holds
//! RandomDequeueQueue K1: "pre enq(1), enq(2), enq(3); deq, deq | deq", preemptions 2 --spec queue --quasi deq=1 --relaxation lateness: violation
//! RandomDequeueQueue K1: "pre enq(1), enq(2), enq(3); deq, deq | deq", preemptions 2 --spec queue --quasi deq=1 --relaxation slot: violation
//! FixedRandomDequeueQueue K1: "pre enq(1), enq(2), enq(3); deq, deq | deq", preemptions 3 --spec queue --quasi deq=1 --relaxation strict: holds
//! FixedRandomDequeueQueue K1: "pre enq(1), enq(2), enq(3); deq, deq | deq", preemptions 3 --spec queue --quasi deq=1 --relaxation distance: holds
//! FixedRandomDequeueQueue K1: "pre enq(1), enq(2), enq(3); deq, deq | deq", preemptions 3 --spec queue --quasi deq=1 --relaxation lateness: holds
//! FixedRandomDequeueQueue K1: "pre enq(1), enq(2), enq(3); deq, deq | deq", preemptions 3 --spec queue --quasi deq=1 --relaxation slot: holds
#include "random_dequeue_queue.hpp"

#include <plumb/test.hpp>

#include "../quasi_factor.hpp"

#ifndef OBJECT
#define OBJECT RandomDequeueQueue
#endif
using Queue = plumb::objects::OBJECT<kFactor>;

int main(int argc, char** argv) {
  return plumb::test(plumb::describe<Queue>("random_dequeue_queue")
                         .method("enq", &Queue::enq, plumb::values(1, 2, 3, 4))
                         .method("deq", &Queue::deq))
      .main(argc, argv);
}
