// SPDX-License-Identifier: MIT
//! ArrayStack: "pre push(1); pop | push(2); post pop", preemptions 1: violation
//! FixedArrayStack: "pre push(1); pop | push(2); post pop", preemptions 3: holds
#include "array_stack.hpp"

#include <plumb/test.hpp>

#ifndef OBJECT
#define OBJECT ArrayStack
#endif
using Stack = plumb::objects::OBJECT;

int main(int argc, char** argv) {
  return plumb::test(plumb::describe<Stack>("array_stack")
                         .method("push", &Stack::push, plumb::values(1, 2))
                         .method("pop", &Stack::pop))
      .main(argc, argv);
}
