// SPDX-License-Identifier: MIT
//! KStack K0: "pre push(1), push(2), pop; push(3) | pop; post pop, pop, pop", preemptions 2: violation
//! KStack K1: "pre push(1), push(2), push(3), pop; push(4) | pop; post pop, pop, pop, pop", preemptions 2 --allow-nondeterminism pop: violation
//! FixedKStack K0: "pre push(1), push(2), pop; push(3) | pop; post pop, pop, pop", preemptions 3: holds
//! FixedKStack K0: "push(1), pop | push(2), pop", preemptions 2: holds
//! FixedKStack K1: "pre push(1), push(2); pop | pop", preemptions 0: nondeterministic
//! FixedKStack K1: "push(1), pop | push(2), pop", preemptions 2 --allow-nondeterminism pop: holds
//! KStack K0: "pre push(1), push(2), pop; push(3) | pop; post pop, pop, pop", preemptions 2 --spec stack --quasi pop=1 --relaxation strict: violation
//! FixedKStack K0: "pre push(1), push(2), pop; push(3) | pop; post pop, pop, pop", preemptions 3 --spec stack --quasi pop=1 --relaxation strict: holds
//! KStack K0: "pre push(1), push(2), pop; push(3) | pop; post pop, pop, pop", preemptions 2 --spec stack --quasi pop=1 --relaxation slot: violation
//! FixedKStack K0: "pre push(1), push(2), pop; push(3) | pop; post pop, pop, pop", preemptions 3 --spec stack --quasi pop=1 --relaxation slot: holds
//! KStack K1: "pre push(1), push(2), push(3), pop; push(4) | pop; post pop, pop, pop, pop", preemptions 2 --spec stack --quasi pop=1: violation
//! FixedKStack K1: "pre push(1), push(2), push(3), pop; push(4) | pop; post pop, pop, pop, pop", preemptions 2 --spec stack --quasi pop=1: holds
//! FixedKStack K1: "pre push(1), push(2), push(3), pop; push(4) | pop; post pop, pop, pop, pop", preemptions 0 --spec stack --quasi pop=1 --relaxation slot: violation
#include "k_stack.hpp"

#include <plumb/test.hpp>

#include "../quasi_factor.hpp"

#ifndef OBJECT
#define OBJECT KStack
#endif
using Stack = plumb::objects::OBJECT<kFactor>;

int main(int argc, char** argv) {
  return plumb::test(plumb::describe<Stack>("k_stack")
                         .method("push", &Stack::push, plumb::values(1, 2, 3, 4))
                         .method("pop", &Stack::pop))
      .main(argc, argv);
}
