// SPDX-License-Identifier: MIT
// Boost's queue, unmodified. It reads links of nodes by plain accesses while another thread may be
// recycling the node, and then discards the value: formally a race, so races are ignored. empty()
// reads both ends one after the other and compares them without the tags that distinguish a
// recycled node. It may return true for a queue that is never empty; push(1) | pop |
// push(1), push(1), empty shows that with one preemption. The documentation warns of it, so empty
// is omitted.
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
