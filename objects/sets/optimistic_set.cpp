// SPDX-License-Identifier: MIT
//! OptimisticSet: "pre insert(1); remove(1) | insert(2), contains(2)", preemptions 2: holds
//! OptimisticSet: "insert(1), remove(2) | insert(2), contains(1)", preemptions 2: holds
//! OptimisticSet: "pre insert(1), insert(2); remove(1) | remove(2), contains(2)", preemptions 2: holds
#include "optimistic_set.hpp"

#include <plumb/test.hpp>

using Set = plumb::objects::OptimisticSet;

int main(int argc, char** argv) {
  return plumb::test(plumb::describe<Set>("OptimisticSet")
                         .method("insert", &Set::insert, plumb::values(1, 2))
                         .method("remove", &Set::remove, plumb::values(1, 2))
                         .method("contains", &Set::contains, plumb::values(1, 2)))
      .main(argc, argv);
}
