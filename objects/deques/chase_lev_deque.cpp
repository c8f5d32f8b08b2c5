// SPDX-License-Identifier: MIT
//! ChaseLevDeque: "pre push(1), push(2); push(3) | steal", preemptions 1: violation
//! FixedChaseLevDeque: "pre push(1), push(2); push(3) | steal", preemptions 3: holds
//! FixedChaseLevDeque: "push(1), take | steal", preemptions 3: holds
//! FixedChaseLevDeque: "push(1), push(2), take | steal, steal", preemptions 2: holds
#include "chase_lev_deque.hpp"

#include <plumb/test.hpp>

#ifndef OBJECT
#define OBJECT ChaseLevDeque
#endif
using Deque = plumb::objects::OBJECT;

int main(int argc, char** argv) {
  return plumb::test(plumb::describe<Deque>("chase_lev_deque")
                         .method("push", &Deque::push, plumb::values(1, 2, 3))
                         .only_on(0)
                         .method("take", &Deque::take)
                         .only_on(0)
                         .method("steal", &Deque::steal))
      .main(argc, argv);
}
