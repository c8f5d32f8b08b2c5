// SPDX-License-Identifier: MIT
// Boost's stack, unmodified. Like the queue, it reads links of nodes that are being recycled.
//
//   plumb test examples/libraries/boost_stack.cpp --ignore race
//! needs: boost/lockfree/stack.hpp
//! --ignore race --operations 0 --random 100 --size 3x3 --preemptions 1: holds
//! --ignore race --operations 0 --random 20 --size 2x2: holds
#include <boost/lockfree/stack.hpp>
#include <optional>

#include <plumb/test.hpp>

using Stack = boost::lockfree::stack<int>;

int main(int argc, char** argv) {
  return plumb::test(plumb::describe<Stack>("boost::lockfree::stack")
                         .method(
                             "push", [](Stack& s, int v) { return s.push(v); }, plumb::values(1, 2))
                         .method("pop",
                                 [](Stack& s) {
                                   int v = 0;
                                   return s.pop(v) ? std::optional(v) : std::nullopt;
                                 })
                         .method("empty", [](Stack& s) { return s.empty(); })
                         .made_by([] { return new Stack(4); }))
      .main(argc, argv);
}
