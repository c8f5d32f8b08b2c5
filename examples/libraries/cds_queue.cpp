// SPDX-License-Identifier: MIT
// Michael and Scott's queue of libcds with hazard pointers, unmodified. Some of their code is
// compiled into libcds.so, and is watched there. empty() reads a node that dequeue() published
// without a release: formally that is a data race, so races are ignored.
//
//   plumb test examples/libraries/cds_queue.cpp --link=-lcds --ignore race
//! needs: cds/init.h
//! link: -lcds
//! --ignore race --operations 2 --random 0: holds
//! --ignore race --schedule-at atomics --operations 0 --random 100 --size 3x3 --preemptions 1: holds
//! --ignore race --schedule-at atomics --operations 0 --random 20 --size 2x2: holds
#include "cds.hpp"

#include <cds/container/msqueue.h>
#include <optional>

#include <plumb/test.hpp>

using Queue = WithCds<cds::container::MSQueue<cds::gc::HP, int>>;

int main(int argc, char** argv) {
  return plumb::test(plumb::describe<Queue>("cds::MSQueue")
                         .each_thread(attach_to_cds, detach_from_cds)
                         .method(
                             "enqueue", [](Queue& q, int v) { return (*q).enqueue(v); },
                             plumb::values(1, 2))
                         .method("dequeue",
                                 [](Queue& q) {
                                   int v = 0;
                                   return (*q).dequeue(v) ? std::optional(v) : std::nullopt;
                                 })
                         .method("empty", [](Queue& q) { return (*q).empty(); }))
      .main(argc, argv);
}
