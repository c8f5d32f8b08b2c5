// SPDX-License-Identifier: MIT
// What against_test.py runs as a test of GoogleTest: a class against another, and what the report
// of its failure says to paste.
#include <gtest/gtest.h>

#include <deque>

#include <plumb/test.hpp>

#include "ticket_queue.hpp"

struct SimpleQueue {
  std::deque<int> items;
  void push(int value) { items.push_back(value); }
  std::optional<int> try_pop() {
    if (items.empty()) return std::nullopt;
    const int value = items.front();
    items.pop_front();
    return value;
  }
};

template <class Queue>
auto described(const char* name) {
  return plumb::describe<Queue>(name)
      .method("push", &Queue::push, plumb::values(1))
      .method("try_pop", &Queue::try_pop);
}

TEST(TicketQueue, Linearizable) {
  EXPECT_TRUE(plumb::test(described<TicketQueue>("TicketQueue"))
                  .against(described<SimpleQueue>("SimpleQueue"))
                  .operations(3));
}

TEST(TicketQueue, Pasted) {
  EXPECT_TRUE(
      plumb::test(described<TicketQueue>("TicketQueue"))
          .against(described<SimpleQueue>("SimpleQueue"))
          .options("--test 'push(1), try_pop() | push(1)' --preemptions 1 --first 2,1:4,2"));
}

TEST(SimpleQueue, AgainstItselfWithOneThreadAtATime) {
  EXPECT_TRUE(plumb::test(described<SimpleQueue>("SimpleQueue").at_most_one_thread())
                  .against(described<SimpleQueue>("SimpleQueue"))
                  .options("--serial")
                  .operations(3)
                  .random(0));
}
