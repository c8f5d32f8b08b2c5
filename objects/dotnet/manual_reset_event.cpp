// SPDX-License-Identifier: MIT
//! ManualResetEventPre: "wait | set, reset, set", preemptions 3: stuck
//! ManualResetEvent: "wait | set, reset, set", preemptions 4: holds
//! ManualResetEvent: "wait, is_set | set, reset | wait_one", preemptions 2: holds
//! ManualResetEvent: "reset | is_set, wait_one | set, wait", preemptions 2: holds
#include "manual_reset_event.hpp"

#include <plumb/test.hpp>

#ifndef OBJECT
#define OBJECT ManualResetEventPre
#endif
using Event = plumb::objects::OBJECT;

int main(int argc, char** argv) {
  return plumb::test(plumb::describe<Event>("manual_reset_event")
                         .method("set", &Event::set)
                         .method("reset", &Event::reset)
                         .method("is_set", &Event::is_set)
                         .method("wait", &Event::wait)
                         .method("wait_one", &Event::wait_one))
      .main(argc, argv);
}
