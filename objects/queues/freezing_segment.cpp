// SPDX-License-Identifier: MIT
//! FreezingSegment: "enq(1) | enq(2), deq | freeze", preemptions 2: violation
//! FreezingSegment: "enq(1), freeze | enq(2), deq", preemptions 2: violation
//! FixedFreezingSegment: "enq(1), freeze | enq(2), deq", preemptions 4: holds
//! FixedFreezingSegment: "enq(1) | enq(2), deq | freeze", preemptions 3: holds
//! FixedFreezingSegment: "enq(1), deq | enq(2), deq", preemptions 3: holds
#include "freezing_segment.hpp"

#include <plumb/test.hpp>

#ifndef OBJECT
#define OBJECT FreezingSegment
#endif
using Segment = plumb::objects::OBJECT;

int main(int argc, char** argv) {
  return plumb::test(plumb::describe<Segment>("freezing_segment")
                         .method("enq", &Segment::enq, plumb::values(1, 2))
                         .method("deq", &Segment::deq)
                         .method("freeze", &Segment::freeze))
      .main(argc, argv);
}
