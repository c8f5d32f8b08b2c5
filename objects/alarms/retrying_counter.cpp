// SPDX-License-Identifier: MIT
//! "increment | increment", preemptions 1: alarm
//! "increment | increment, get | increment", preemptions 2: alarm
//! "increment | get, get", preemptions 2: quiet
#include "retrying_counter.hpp"

#include <plumb/test.hpp>

using plumb::objects::RetryingCounter;

int main(int argc, char** argv) {
  return plumb::test(plumb::describe<RetryingCounter>("RetryingCounter")
                         .method("increment", &RetryingCounter::increment)
                         .method("get", &RetryingCounter::get))
      .main(argc, argv);
}
