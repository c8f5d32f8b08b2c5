// SPDX-License-Identifier: MIT
//! TaskCompletionSourcePre: "try_set_result(1) | try_set_result(2)", preemptions 1: violation
//! TaskCompletionSource: "try_set_result(1) | try_set_result(2), try_result", preemptions 1: violation
//! TaskCompletionSource: "try_set_result(1) | try_set_result(2)", preemptions 3: holds
//! FixedTaskCompletionSource: "try_set_result(1) | try_set_result(2), try_result", preemptions 3: holds
//! FixedTaskCompletionSource: "try_set_exception(1), try_result | set_canceled, exception | wait", preemptions 2: holds
#include "task_completion_source.hpp"

#include <plumb/test.hpp>

#ifndef OBJECT
#define OBJECT TaskCompletionSource
#endif
using Source = plumb::objects::OBJECT;

int main(int argc, char** argv) {
  const auto numbers = plumb::values(1, 2);
  return plumb::test(plumb::describe<Source>("task_completion_source")
                         .method("try_set_result", &Source::try_set_result, numbers)
                         .method("try_set_exception", &Source::try_set_exception, numbers)
                         .method("try_set_canceled", &Source::try_set_canceled)
                         .method("set_result", &Source::set_result, numbers)
                         .method("set_exception", &Source::set_exception, numbers)
                         .method("set_canceled", &Source::set_canceled)
                         .method("exception", &Source::exception)
                         .method("try_result", &Source::try_result)
                         .method("wait", &Source::wait))
      .main(argc, argv);
}
