// SPDX-License-Identifier: MIT
//! Lazy: "value, to_string | value, is_value_created", preemptions 2: holds
//! Lazy: "value | is_value_created, to_string | to_string, value", preemptions 2: holds
#include "lazy.hpp"

#include <plumb/test.hpp>

using plumb::objects::Lazy;

int main(int argc, char** argv) {
  return plumb::test(plumb::describe<Lazy>("Lazy")
                         .method("value", &Lazy::value)
                         .method("to_string", &Lazy::to_string)
                         .method("is_value_created", &Lazy::is_value_created))
      .main(argc, argv);
}
