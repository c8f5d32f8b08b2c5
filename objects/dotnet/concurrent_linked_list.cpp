// SPDX-License-Identifier: MIT
//! ConcurrentLinkedListPre: "add_first(1) | remove_first, count", preemptions 1: violation
//! ConcurrentLinkedList: "add_first(1) | remove_first, count", preemptions 3: holds
//! ConcurrentLinkedList: "add_first(1), take_last | add_last(2), count | take_first", preemptions 2: holds
#include "concurrent_linked_list.hpp"

#include <plumb/test.hpp>

#ifndef OBJECT
#define OBJECT ConcurrentLinkedListPre
#endif
using List = plumb::objects::OBJECT;

int main(int argc, char** argv) {
  return plumb::test(plumb::describe<List>("concurrent_linked_list")
                         .method("count", &List::count)
                         .method("add_first", &List::add_first, plumb::values(1, 2))
                         .method("add_last", &List::add_last, plumb::values(1, 2))
                         .method("remove_first", &List::remove_first)
                         .method("take_first", &List::take_first)
                         .method("remove_last", &List::remove_last)
                         .method("take_last", &List::take_last))
      .main(argc, argv);
}
