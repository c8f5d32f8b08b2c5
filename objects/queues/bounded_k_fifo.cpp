// SPDX-License-Identifier: MIT
//! BoundedKFifo: "pre enq(1), enq(2); deq | deq", preemptions 0: nondeterministic
//! BoundedKFifo K1: "pre enq(1); deq | enq(2), deq", preemptions 3 --allow-nondeterminism deq: holds
//! BoundedKFifo K1: "enq(1), deq | enq(2), deq", preemptions 2 --allow-nondeterminism deq: holds
//! BoundedKFifo K0: "pre enq(1); deq | enq(2), deq", preemptions 3: holds
//! BoundedKFifo K0: "enq(1), deq | enq(2), deq", preemptions 3: holds
//! BoundedKFifo K0: "deq | enq(1) | enq(2), deq", preemptions 3: holds
//! BoundedKFifo K1: "pre enq(1); deq | enq(2), deq; post deq", preemptions 3 --spec queue --quasi deq=1 --relaxation strict: holds
//! BoundedKFifo K1: "pre enq(1); deq | enq(2), deq; post deq", preemptions 3 --spec queue --quasi deq=1 --relaxation slot: holds
#include "bounded_k_fifo.hpp"

#include <plumb/test.hpp>

#include <cstdlib>

#include "../quasi_factor.hpp"

using Queue = plumb::objects::BoundedKFifo<kFactor>;

// No test fills it, so `enq` returns nothing, as that of a queue.
void enq(Queue& queue, int value) {
  if (!queue.enq(value)) std::abort();
}

int main(int argc, char** argv) {
  return plumb::test(plumb::describe<Queue>("bounded_k_fifo")
                         .method("enq", &enq, plumb::values(1, 2, 3, 4))
                         .method("deq", &Queue::deq))
      .main(argc, argv);
}
