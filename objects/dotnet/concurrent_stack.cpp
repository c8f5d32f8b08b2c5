// SPDX-License-Identifier: MIT
//! ConcurrentStack: "push(10), try_pop | push(20), try_pop", preemptions 2: holds
//! ConcurrentStack: "push_range_ten, count | try_pop_range(4), push(10) | try_pop_range(2)", preemptions 2: holds
//! ConcurrentStack: "pre push_range_ten; clear, try_peek | push(20), to_array | try_pop_range(1)", preemptions 2: holds
//! ConcurrentStack LEAK_NODES: "push(10) | push(20)", preemptions 1: alarm
#include "concurrent_stack.hpp"

#include <plumb/test.hpp>

using Stack = plumb::objects::ConcurrentStack;

int main(int argc, char** argv) {
  const auto push_range_ten = [](Stack& stack) {
    stack.push_range({1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
  };
  return plumb::test(plumb::describe<Stack>("ConcurrentStack")
                         .method("clear", &Stack::clear)
                         .method("count", &Stack::count)
                         .method("push", &Stack::push, plumb::values(10, 20))
                         .method("push_range_ten", push_range_ten)
                         .method("try_pop", &Stack::try_pop)
                         .method("try_pop_range", &Stack::try_pop_range, plumb::values(1, 2, 4))
                         .method("try_peek", &Stack::try_peek)
                         .method("to_array", &Stack::to_array))
      .main(argc, argv);
}
