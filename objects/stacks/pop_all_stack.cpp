// SPDX-License-Identifier: MIT
//! PopAllStack: "pre push(1); push(2) | pop_all; post pop_all", preemptions 1: violation
//! FixedPopAllStack: "pre push(1); push(2) | pop_all; post pop_all", preemptions 3: holds
#include "pop_all_stack.hpp"

#include <plumb/test.hpp>

#ifndef OBJECT
#define OBJECT PopAllStack
#endif
using Stack = plumb::objects::OBJECT;

int main(int argc, char** argv) {
  return plumb::test(plumb::describe<Stack>("pop_all_stack")
                         .method("push", &Stack::push, plumb::values(1, 2))
                         .at_most_one_thread()
                         .method("pop_all", &Stack::pop_all)
                         .at_most_one_thread())
      .main(argc, argv);
}
