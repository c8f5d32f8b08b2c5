// SPDX-License-Identifier: MIT
//! FaultySet: "pre insert(1); remove(1) | insert(2), contains(2)", preemptions 1: violation
#include "faulty_set.hpp"

#include <plumb/test.hpp>

using Set = plumb::objects::FaultySet;

int main(int argc, char** argv) {
  return plumb::test(plumb::describe<Set>("FaultySet")
                         .method("insert", &Set::insert, plumb::values(1, 2))
                         .method("remove", &Set::remove, plumb::values(1, 2))
                         .method("contains", &Set::contains, plumb::values(1, 2)))
      .main(argc, argv);
}
