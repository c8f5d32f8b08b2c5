// SPDX-License-Identifier: MIT
//! QuasiStack: "pre push(1), push(2); pop | pop", preemptions 0: nondeterministic
//! QuasiStack K1: "push(1), pop | push(2), pop", preemptions 2 --allow-nondeterminism pop: holds
//! QuasiStack K1: "pre push(1), push(2), push(3), push(4); pop | pop; post pop, pop", preemptions 3 --allow-nondeterminism pop: holds
//! QuasiStack K0: "push(1), pop | push(2), pop", preemptions 3: holds
//! QuasiStackB1: "pre push(1), push(2); pop | pop", preemptions 1 --allow-nondeterminism pop: violation
//! QuasiStackB1 K0: "pre push(1), push(2); pop | pop", preemptions 1: violation
//! QuasiStack K1: "pre push(1), push(2), push(3); pop | pop; post pop", preemptions 3 --spec stack --quasi pop=1: holds
//! QuasiStackB2 K0: "pre push(1), push(2); pop | pop", preemptions 0 --spec stack: violation
//! QuasiStackB2 K1: "pre push(1), push(2), push(3); pop | pop; post pop", preemptions 0 --spec stack --quasi pop=1: violation
#include "quasi_stack.hpp"

#include <plumb/test.hpp>

#include "../quasi_factor.hpp"

#ifndef OBJECT
#define OBJECT QuasiStack
#endif
using Stack = plumb::objects::OBJECT<kFactor>;

int main(int argc, char** argv) {
  return plumb::test(plumb::describe<Stack>("quasi_stack")
                         .method("push", &Stack::push, plumb::values(1, 2, 3, 4))
                         .method("pop", &Stack::pop))
      .main(argc, argv);
}
