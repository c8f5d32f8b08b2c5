// SPDX-License-Identifier: MIT
//! SegmentedQueue: "pre enq(1); deq | enq(2), deq", preemptions 2 --allow-nondeterminism deq: violation
//! SegmentedQueue K0: "pre enq(1); deq | enq(2), deq", preemptions 3: holds
//! FixedSegmentedQueue: "pre enq(1), enq(2); deq | deq", preemptions 0: nondeterministic
//! FixedSegmentedQueue K1: "pre enq(1); deq | enq(2), deq", preemptions 3 --allow-nondeterminism deq: holds
//! FixedSegmentedQueue K1: "enq(1), deq | enq(2), deq", preemptions 2 --allow-nondeterminism deq: holds
//! FixedSegmentedQueue K0: "enq(1), deq | enq(2), deq", preemptions 3: holds
//! SegmentedQueue K1: "pre enq(1); deq | enq(2), deq; post enq(3), deq, deq", preemptions 2 --spec queue --quasi deq=1 --relaxation strict: violation
//! SegmentedQueue K1: "pre enq(1); deq | enq(2), deq; post enq(3), deq, deq", preemptions 2 --spec queue --quasi deq=1 --relaxation distance: violation
//! SegmentedQueue K1: "pre enq(1); deq | enq(2), deq; post enq(3), deq, deq", preemptions 2 --spec queue --quasi deq=1 --relaxation lateness: violation
//! SegmentedQueue K1: "pre enq(1); deq | enq(2), deq; post enq(3), deq, deq", preemptions 2 --spec queue --quasi deq=1 --relaxation slot: violation
//! SegmentedQueue K1: "pre enq(1); deq | enq(2), deq; post enq(3), deq, deq", preemptions 2 --spec queue --quasi deq=1 --relaxation all: violation
//! FixedSegmentedQueue K1: "pre enq(1); deq | enq(2), deq; post enq(3), deq, deq", preemptions 3 --spec queue --quasi deq=1 --relaxation strict: holds
//! FixedSegmentedQueue K1: "pre enq(1); deq | enq(2), deq; post enq(3), deq, deq", preemptions 3 --spec queue --quasi deq=1 --relaxation distance: holds
//! FixedSegmentedQueue K1: "pre enq(1); deq | enq(2), deq; post enq(3), deq, deq", preemptions 3 --spec queue --quasi deq=1 --relaxation lateness: holds
//! FixedSegmentedQueue K1: "pre enq(1); deq | enq(2), deq; post enq(3), deq, deq", preemptions 3 --spec queue --quasi deq=1 --relaxation slot: holds
//! FixedSegmentedQueue K1: "pre enq(1); deq | enq(2), deq; post enq(3), deq, deq", preemptions 3 --spec queue --quasi deq=1 --relaxation all: holds
//! FixedSegmentedQueue K1: "pre enq(1); deq | enq(2), deq; post enq(3), deq, deq", preemptions 3 --spec queue --quasi deq=1 --relaxation def4: holds
//! SegmentedQueue K1: "pre enq(1); deq | enq(2), deq; post enq(3), deq, deq", preemptions 2 --spec queue --quasi deq=1 --relaxation def4: holds
#include "segmented_queue.hpp"

#include <plumb/test.hpp>

#include "../quasi_factor.hpp"

#ifndef OBJECT
#define OBJECT SegmentedQueue
#endif
using Queue = plumb::objects::OBJECT<kFactor>;

int main(int argc, char** argv) {
  return plumb::test(plumb::describe<Queue>("segmented_queue")
                         .method("enq", &Queue::enq, plumb::values(1, 2, 3, 4))
                         .method("deq", &Queue::deq))
      .main(argc, argv);
}
