// SPDX-License-Identifier: MIT
//! CountdownEvent: "signal(1), wait | signal(1), is_set", preemptions 2: holds
//! CountdownEvent: "signal(1), try_wait | try_add_count(1), current_count | signal(2)", preemptions 2: holds
//! CountdownEvent: "signal(2), add_count(1) | wait_one | is_set, try_wait", preemptions 2: holds
#include "countdown_event.hpp"

#include <plumb/test.hpp>

using plumb::objects::CountdownEvent;

int main(int argc, char** argv) {
  return plumb::test(
             plumb::describe<CountdownEvent>("CountdownEvent")
                 .method("is_set", &CountdownEvent::is_set)
                 .method("current_count", &CountdownEvent::current_count)
                 .method("wait", &CountdownEvent::wait)
                 .method("try_wait", &CountdownEvent::try_wait)
                 .method("wait_one", &CountdownEvent::wait_one)
                 .method("signal", &CountdownEvent::signal, plumb::values(1, 2))
                 .method("add_count", &CountdownEvent::add_count, plumb::values(1, 2))
                 .method("try_add_count", &CountdownEvent::try_add_count, plumb::values(1, 2)))
      .main(argc, argv);
}
