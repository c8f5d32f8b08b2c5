// SPDX-License-Identifier: MIT
//! TreiberStack: "push(1), pop | push(2), pop", preemptions 3: holds
//! TreiberStack: "pre push(1), push(2); pop | pop, pop, push(3); post pop", preemptions 3: holds
#include "treiber_stack.hpp"

#include <plumb/test.hpp>

using Stack = plumb::objects::TreiberStack<>;

int main(int argc, char** argv) {
  return plumb::test(plumb::describe<Stack>("TreiberStack")
                         .method("push", &Stack::push, plumb::values(1, 2, 3))
                         .method("pop", &Stack::pop))
      .main(argc, argv);
}
