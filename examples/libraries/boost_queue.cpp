// SPDX-License-Identifier: MIT
// Boost's queue, unmodified. Links of nodes are read by plain accesses while another thread may be
// recycling the node, and what was read is thrown away then: a race by the letter, so it is said
// that races are known. And empty() looks at both ends one after the other, so it may call a
// queue empty that meanwhile never is (with 2 preemptions in: pop | empty | push(1), push(1),
// push(1)). Its documentation warns of that; as a weak read it passes.
//
//   plumb test examples/libraries/boost_queue.cpp --ignore race
//! needs: boost/lockfree/queue.hpp
//! --ignore race --operations 0 --random 100 --size 3x3 --preemptions 1: holds
//! --ignore race --operations 0 --random 20 --size 2x2: holds
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
                         .weak_read()
                         .made_by([] { return new Queue(4); }))
      .main(argc, argv);
}
