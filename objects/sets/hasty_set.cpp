// SPDX-License-Identifier: MIT
//! HastySet: "pre insert(1), insert(2); remove(1) | remove(2), contains(2)", preemptions 1: violation
#include "hasty_set.hpp"

#include <plumb/test.hpp>

using Set = plumb::objects::HastySet;

int main(int argc, char** argv) {
  return plumb::test(plumb::describe<Set>("HastySet")
                         .method("insert", &Set::insert, plumb::values(1, 2))
                         .method("remove", &Set::remove, plumb::values(1, 2))
                         .method("contains", &Set::contains, plumb::values(1, 2)))
      .main(argc, argv);
}
