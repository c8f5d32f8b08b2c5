// SPDX-License-Identifier: MIT
//! KStack: "pre push(1), push(2), pop; push(3) | pop; post pop, pop, pop", preemptions 2: violation
//! FixedKStack: "pre push(1), push(2), pop; push(3) | pop; post pop, pop, pop", preemptions 3: holds
//! FixedKStack: "push(1), pop | push(2), pop", preemptions 2: holds
#include "k_stack.hpp"

#include <plumb/test.hpp>

#ifndef OBJECT
#define OBJECT KStack
#endif
using Stack = plumb::objects::OBJECT;

int main(int argc, char** argv) {
  return plumb::test(plumb::describe<Stack>("k_stack")
                         .method("push", &Stack::push, plumb::values(1, 2, 3))
                         .method("pop", &Stack::pop))
      .main(argc, argv);
}
