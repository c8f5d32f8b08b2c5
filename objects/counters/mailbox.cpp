// SPDX-License-Identifier: MIT
//! Mailbox: "pre deliver; deliver | remove, check", preemptions 1: violation
//! FixedMailbox: "pre deliver; deliver | remove, check", preemptions 3: holds
//! FixedMailbox: "deliver, deliver | check, remove, check", preemptions 3: holds
#include "mailbox.hpp"

#include <plumb/test.hpp>

#ifndef OBJECT
#define OBJECT Mailbox
#endif
using Box = plumb::objects::OBJECT;

int main(int argc, char** argv) {
  return plumb::test(plumb::describe<Box>("mailbox")
                         .method("deliver", &Box::deliver)
                         .only_on(0)
                         .method("remove", &Box::remove)
                         .only_on(1)
                         .method("check", &Box::check)
                         .only_on(1))
      .main(argc, argv);
}
