// SPDX-License-Identifier: MIT
// plumb test examples/objects/ticket_queue.cpp
#include "ticket_queue.hpp"

#include <plumb/test.hpp>

int main(int argc, char** argv) {
  return plumb::test(plumb::describe<TicketQueue>("TicketQueue")
                         .method("push", &TicketQueue::push, plumb::values(1, 2))
                         .method("try_pop", &TicketQueue::try_pop))
      .main(argc, argv);
}
