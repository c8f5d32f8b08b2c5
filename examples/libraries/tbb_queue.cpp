// SPDX-License-Identifier: MIT
// oneTBB's queue, unmodified.
//
//   plumb test examples/libraries/tbb_queue.cpp --link=-ltbb
//! needs: tbb/concurrent_queue.h
//! link: -ltbb
//! --operations 0 --random 100 --size 3x3 --preemptions 1: holds
//! --operations 0 --random 20 --size 2x2: holds
#include <tbb/concurrent_queue.h>
#include <optional>

#include <plumb/test.hpp>

using Queue = tbb::concurrent_queue<int>;

int main(int argc, char** argv) {
  return plumb::test(plumb::describe<Queue>("tbb::concurrent_queue")
                         .method(
                             "push", [](Queue& q, int v) { q.push(v); }, plumb::values(1, 2))
                         .method("try_pop",
                                 [](Queue& q) {
                                   int v = 0;
                                   return q.try_pop(v) ? std::optional(v) : std::nullopt;
                                 }))
      .main(argc, argv);
}
