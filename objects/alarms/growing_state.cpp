// SPDX-License-Identifier: MIT
//! "cancel | is_cancelled", preemptions 1: alarm
//! "cancel, is_cancelled | cancel, is_cancelled", preemptions 2: alarm
//! "is_cancelled | is_cancelled", preemptions 2: quiet
#include "growing_state.hpp"

#include <plumb/test.hpp>

using plumb::objects::GrowingState;

int main(int argc, char** argv) {
  return plumb::test(plumb::describe<GrowingState>("GrowingState")
                         .method("cancel", &GrowingState::cancel)
                         .method("is_cancelled", &GrowingState::is_cancelled))
      .main(argc, argv);
}
