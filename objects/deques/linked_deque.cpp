// SPDX-License-Identifier: MIT
//! LinkedDeque: "pre add_last(1); poll_first | add_first(2), peek_last", preemptions 1: violation
//! FixedLinkedDeque: "pre add_last(1); poll_first | add_first(2), peek_last", preemptions 3: holds
#include "linked_deque.hpp"

#include <plumb/test.hpp>

#ifndef OBJECT
#define OBJECT LinkedDeque
#endif
using Deque = plumb::objects::OBJECT;

int main(int argc, char** argv) {
  return plumb::test(plumb::describe<Deque>("linked_deque")
                         .method("add_first", &Deque::add_first, plumb::values(1, 2))
                         .method("add_last", &Deque::add_last, plumb::values(1, 2))
                         .method("poll_first", &Deque::poll_first)
                         .method("poll_last", &Deque::poll_last)
                         .method("peek_last", &Deque::peek_last))
      .main(argc, argv);
}
