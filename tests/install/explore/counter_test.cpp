// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <cassert>
#include <thread>

#include <plumb/explore.hpp>

#include "counter.hpp"

namespace {

void two_visits(void (Counter::*visit)()) {
  Counter counter;
  std::thread other([&] { (counter.*visit)(); });
  (counter.*visit)();
  other.join();
  assert(counter.value() == 2);
}

TEST(Counter, Right) {
  EXPECT_TRUE(plumb::explore([] { two_visits(&Counter::add); }));
}

// The second call is the one in which something is found.
TEST(Counter, Wrong) {
  EXPECT_TRUE(plumb::explore([] { two_visits(&Counter::add); }, "--preemptions 1"));
  EXPECT_TRUE(plumb::explore([] { two_visits(&Counter::add_in_two_steps); }));
}

}  // namespace
