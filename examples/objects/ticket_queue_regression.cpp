// SPDX-License-Identifier: MIT
// TicketQueue is not linearizable: push(1), try_pop() | push(1)
//
//   A             B
//                 ┌ push(1)
//   ┌ push(1)     │
//   └ ok          │
//   ┌ try_pop()   │
//   └ null        │
//                 └ ok
//
//   No serial order of these operations gives these results.
//   Nearest: A push(1), B push(1), A try_pop() = 1. There try_pop() of A returns 1; here it returns
//   null.
//
// Fails as long as that is so. The schedule that showed it is run first, then, since the code
// may have changed, all with as many preemptions. To be run like the program that is included.
#include <plumb/test.hpp>

static const plumb::Regression plumb_regression(
    "--test 'push(1), try_pop() | push(1)' --preemptions 1 --first 2,1:4,2,0");

#include "ticket_queue.cpp"
