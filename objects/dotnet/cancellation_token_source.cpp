// SPDX-License-Identifier: MIT
//! CancellationTokenSource: "increment, increment | cancel", preemptions 2: holds
//! CancellationTokenSource: "increment, increment | cancel, increment | increment, cancel", preemptions 1: holds
//! CancellationTokenSource: "increment | cancel, is_cancellation_requested | cancel, increment", preemptions 2: holds
//! CancellationTokenSource: "cancel | is_cancellation_requested", preemptions 1: alarm
#include "cancellation_token_source.hpp"

#include <plumb/test.hpp>

using Source = plumb::objects::CancellationTokenSource;

int main(int argc, char** argv) {
  // cancel returns the number of callbacks that ran. A number that any call could read at any time
  // would reveal that callbacks run one after the other.
  const auto increment = [](Source& source) { return source.register_callback([] {}); };
  return plumb::test(plumb::describe<Source>("CancellationTokenSource")
                         .method("increment", increment)
                         .method("cancel", &Source::cancel)
                         .method("is_cancellation_requested", &Source::is_cancellation_requested))
      .main(argc, argv);
}
