// SPDX-License-Identifier: MIT
//! LazyTrompBit: "write(true), write(false) | read, read", preemptions 5: violation
//! BoldTrompBit: "write(true), write(false) | read, read, read", preemptions 5: violation
//! TrompBit: "write(true), write(false) | read, read", preemptions 5: holds
//! TrompBit: "write(true), write(false) | read, read, read", preemptions 4: holds
#include "tromp_bit.hpp"

#include <plumb/test.hpp>

#ifndef OBJECT
#define OBJECT LazyTrompBit
#endif
using Bit = plumb::objects::OBJECT;

int main(int argc, char** argv) {
  return plumb::test(plumb::describe<Bit>("tromp_bit")
                         .method("write", &Bit::write, plumb::values(false, true))
                         .only_on(0)
                         .method("read", &Bit::read)
                         .only_on(1))
      .main(argc, argv);
}
