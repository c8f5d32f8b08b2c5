// SPDX-License-Identifier: MIT
// Boost's queue, unmodified. Links of nodes are read by plain accesses while another thread may be
// recycling the node, and what was read is thrown away then: a race by the letter, so it is said
// that races are known. And empty() compares both ends, read one after the other, without the tags
// that tell a recycled node from what it was: it may call a queue empty that never is, and is found
// out by push(1) | pop | push(1), push(1), empty with one preemption. Its documentation warns of
// that, so it is left out.
//
//   plumb test examples/libraries/boost_queue.cpp --ignore race --without empty
//! needs: boost/lockfree/queue.hpp
//! --without empty --ignore race --operations 0 --random 100 --size 3x3 --preemptions 1: holds
//! --without empty --ignore race --operations 0 --random 20 --size 2x2: holds
#include <boost/lockfree/queue.hpp>
#include <optional>

#include <plumb/test.hpp>

using Queue = boost::lockfree::queue<int>;

int main(int argc, char** argv) {
  return plumb::test(plumb::describe<Queue>("boost::lockfree::queue")
                         .method(
                             "push", [](Queue& q, int v) { return q.push(v); }, plumb::values(1, 2))
                         .method("pop",
                                 [](Queue& q) {
                                   int v = 0;
                                   return q.pop(v) ? std::optional(v) : std::nullopt;
                                 })
                         .method("empty", [](Queue& q) { return q.empty(); })
                         .made_by([] { return new Queue(4); }))
      .main(argc, argv);
}
