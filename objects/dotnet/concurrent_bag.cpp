// SPDX-License-Identifier: MIT
//! ConcurrentBagPre: "add(10), count | try_take, add(20)", preemptions 1: violation
//! ConcurrentBagPre: "add(10), to_array | add(20), count", preemptions 1: violation
//! ConcurrentBag: "add(10), to_array | add(20), count", preemptions 1: violation
//! ConcurrentBag: "add(10) | add(20), count; post try_take", preemptions 1: violation
//! ConcurrentBag: "add(10), count | try_take, add(20)", preemptions 2: holds
//! ConcurrentBag: "add(10), is_empty | add(20), try_peek", preemptions 2: holds
//! ConcurrentBag LEAK_NODES: "add(10) | add(20)", preemptions 1: alarm
#include "concurrent_bag.hpp"

#include <plumb/test.hpp>

#ifndef OBJECT
#define OBJECT ConcurrentBagPre
#endif
using Bag = plumb::objects::OBJECT;

int main(int argc, char** argv) {
  return plumb::test(plumb::describe<Bag>("concurrent_bag")
                         .method("count", &Bag::count)
                         .method("add", &Bag::add, plumb::values(10, 20))
                         .method("try_take", &Bag::try_take)
                         .method("try_peek", &Bag::try_peek)
                         .method("is_empty", &Bag::is_empty)
                         .method("to_array", &Bag::to_array))
      .main(argc, argv);
}
