// SPDX-License-Identifier: MIT
//! UncountedStack: "pre push(1), push(2); pop | pop, pop, push(3); post pop", preemptions 1: violation
//! RecyclingStack: "pre push(1), push(2); pop | pop, pop, push(3); post pop", preemptions 2: holds
//! RecyclingStack: "push(1), pop | push(2), pop", preemptions 2: holds
#include "recycling_stack.hpp"

#include <plumb/test.hpp>

#ifndef OBJECT
#define OBJECT UncountedStack
#endif
using Stack = plumb::objects::OBJECT;

int main(int argc, char** argv) {
  return plumb::test(plumb::describe<Stack>("recycling_stack")
                         .method("push", &Stack::push, plumb::values(1, 2, 3))
                         .method("pop", &Stack::pop))
      .main(argc, argv);
}
