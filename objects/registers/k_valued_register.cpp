// SPDX-License-Identifier: MIT
//! UpwardRegister: "pre write(3); write(1), write(2) | read, read", preemptions 2: violation
//! SimpleRegister: "write(2), write(1) | read", preemptions 2: violation
//! KValuedRegister: "pre write(3); write(1), write(2) | read, read", preemptions 4: holds
//! KValuedRegister: "write(2), write(1) | read, read", preemptions 4: holds
#include "k_valued_register.hpp"

#include <plumb/test.hpp>

#ifndef OBJECT
#define OBJECT UpwardRegister
#endif
using Register = plumb::objects::OBJECT;

int main(int argc, char** argv) {
  return plumb::test(plumb::describe<Register>("k_valued_register")
                         .method("write", &Register::write, plumb::values(1, 2, 3))
                         .only_on(0)
                         .method("read", &Register::read)
                         .only_on(1))
      .main(argc, argv);
}
