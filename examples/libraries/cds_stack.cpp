// SPDX-License-Identifier: MIT
// Treiber's stack of libcds with hazard pointers, unmodified.
//
//   plumb test examples/libraries/cds_stack.cpp --link=-lcds
//! needs: cds/init.h
//! link: -lcds
//! --operations 2 --random 0: holds
//! --ignore race --schedule-at atomics --operations 0 --random 100 --size 3x3 --preemptions 1: holds
//! --ignore race --schedule-at atomics --operations 0 --random 20 --size 2x2: holds
#include "cds.hpp"

#include <cds/container/treiber_stack.h>
#include <optional>

#include <plumb/test.hpp>

using Stack = WithCds<cds::container::TreiberStack<cds::gc::HP, int>>;

int main(int argc, char** argv) {
  return plumb::test(
             plumb::describe<Stack>("cds::TreiberStack")
                 .each_thread(attach_to_cds, detach_from_cds)
                 .method(
                     "push", [](Stack& s, int v) { return (*s).push(v); }, plumb::values(1, 2))
                 .method("pop",
                         [](Stack& s) {
                           int v = 0;
                           return (*s).pop(v) ? std::optional(v) : std::nullopt;
                         })
                 .method("empty", [](Stack& s) { return (*s).empty(); }))
      .main(argc, argv);
}
