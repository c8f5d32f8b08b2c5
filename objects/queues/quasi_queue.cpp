// SPDX-License-Identifier: MIT
//! QuasiQueue: "pre enq(1), enq(2); deq | deq", preemptions 0: nondeterministic
//! QuasiQueue K1: "enq(1), deq | enq(2), deq", preemptions 2 --allow-nondeterminism deq: holds
//! QuasiQueue K1: "pre enq(1), enq(2), enq(3), enq(4); deq | deq; post deq, deq", preemptions 3 --allow-nondeterminism deq: holds
//! QuasiQueue K0: "enq(1), deq | enq(2), deq", preemptions 3: holds
//! QuasiQueue K0: "pre enq(1), enq(2), enq(3); deq | deq; post deq", preemptions 3: holds
//! QuasiQueueB1: "pre enq(1), enq(2), enq(3), enq(4); deq | deq; post deq, deq", preemptions 1 --allow-nondeterminism deq: violation
//! QuasiQueueB1 K0: "pre enq(1), enq(2), enq(3); deq | deq; post deq", preemptions 3: holds
//! QuasiQueue K1: "pre enq(1), enq(2), enq(3), enq(4); deq | deq; post deq, deq", preemptions 3 --spec queue --quasi deq=1: holds
//! QuasiQueueB1: "pre enq(1), enq(2), enq(3); deq | deq; post deq", preemptions 3 --spec queue --quasi deq=1: violation
//! QuasiQueueB1: "pre enq(1), enq(2), enq(3); deq | deq; post deq", preemptions 3 --spec queue --quasi deq=1 --relaxation slot: violation
//! QuasiQueueB2: "pre enq(1); deq | deq", preemptions 1: violation
//! QuasiQueueB2 K0: "pre enq(1); deq | deq", preemptions 1: violation
//! QuasiQueueB3: "pre enq(1), enq(2); deq | deq", preemptions 1 --allow-nondeterminism deq: violation
//! QuasiQueueB3 K0: "pre enq(1), enq(2); deq | deq", preemptions 1: violation
#include "quasi_queue.hpp"

#include <plumb/test.hpp>

#include "../quasi_factor.hpp"

#ifndef OBJECT
#define OBJECT QuasiQueue
#endif
using Queue = plumb::objects::OBJECT<kFactor>;

int main(int argc, char** argv) {
  return plumb::test(plumb::describe<Queue>("quasi_queue")
                         .method("enq", &Queue::enq, plumb::values(1, 2, 3, 4))
                         .method("deq", &Queue::deq))
      .main(argc, argv);
}
