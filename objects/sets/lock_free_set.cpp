// SPDX-License-Identifier: MIT
//! LockFreeSet: "pre insert(1); remove(1) | insert(2), contains(2)", preemptions 2: holds
//! LockFreeSet: "insert(1), remove(2) | insert(2), contains(1)", preemptions 2: holds
//! LockFreeSet: "pre insert(1), insert(2); remove(1) | remove(2), contains(2)", preemptions 2: holds
#include "lock_free_set.hpp"

#include <plumb/test.hpp>

using Set = plumb::objects::LockFreeSet;

int main(int argc, char** argv) {
  return plumb::test(plumb::describe<Set>("LockFreeSet")
                         .method("insert", &Set::insert, plumb::values(1, 2))
                         .method("remove", &Set::remove, plumb::values(1, 2))
                         .method("contains", &Set::contains, plumb::values(1, 2)))
      .main(argc, argv);
}
