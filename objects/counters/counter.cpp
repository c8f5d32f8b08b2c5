// SPDX-License-Identifier: MIT
//! LossyCounter: "inc | inc, get", preemptions 1: violation
//! Counter: "inc | inc, get", preemptions 3: holds
//! Counter: "inc, dec | dec, get | set(0)", preemptions 2: holds
//! Counter: "inc, set(0) | inc | get", preemptions 2: quiet
#include "counter.hpp"

#include <plumb/test.hpp>

#ifndef OBJECT
#define OBJECT LossyCounter
#endif
using Object = plumb::objects::OBJECT;

int main(int argc, char** argv) {
  return plumb::test(plumb::describe<Object>("counter")
                         .method("inc", &Object::inc)
                         .method("dec", &Object::dec)
                         .method("set", &Object::set, plumb::values(0))
                         .method("get", &Object::get))
      .main(argc, argv);
}
