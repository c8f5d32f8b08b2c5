// SPDX-License-Identifier: MIT
#include "readers/read.hpp"

namespace plumb {
namespace {

TEST(Violin, CallsAndReturnsOfNumberedOperations) {
  const History h = read(R"(# from a paper
# @object atomic-queue

[1] call add(1)
    [2] call remove
[1] return
    [2] return empty
[3] call move(a, 2)
)");
  EXPECT_EQ(events(h), R"(1:add(1) 2:remove() 1=null 2=null 3:move("a",2))");
  EXPECT_EQ(specification(h), "queue");
  EXPECT_EQ(unreturned(h), R"(move("a",2) pending)");
  EXPECT_EQ(h.line, (std::vector<std::uint32_t>{4, 5, 8}));
}

TEST(Violin, BadLinesAreRefused) {
  EXPECT_EQ(error_of("[1] call add(1)\n[1] call add(2)"),
            "2: process 1 calls add before its add(1) of line 1 returned");
  EXPECT_EQ(error_of("[1] return 4"), "1: process 1 returns without a call");
  EXPECT_EQ(error_of("[1] call add(1"), "1: a call without its closing bracket");
  EXPECT_EQ(error_of("[1] call (1)"), "1: a call without a method");
  EXPECT_EQ(error_of("[1] calls add(1)"), "1: neither \"call\" nor \"return\"");
  EXPECT_EQ(error_of("[1] call add(1)\n1 return"), "2: neither a call nor a return");
  EXPECT_EQ(error_of("[1] call a\xff"), "1: the text is not valid UTF-8");
}

TEST(Polylin, OperationsWithoutProcesses) {
  const History h = read("# queue\nenq 1 3 7\ndeq -1 5 6\ndeq 1 8 9\n");
  EXPECT_EQ(events(h), "0:enq(1) 1:deq() 1=null 0=null 2:deq() 2=1");
  EXPECT_EQ(specification(h), "queue");
}

TEST(Polylin, ASetHasResults) {
  const History h = read("# set\ninsert 5 1 3 7\ncontains 5 0 1 2\nremove 5 true 8 9\n");
  EXPECT_EQ(events(h), "1:contains(5) 1=false 0:insert(5) 0=true 2:remove(5) 2=true");
}

TEST(Polylin, WhatEndsWhenAnotherBeginsComesBeforeIt) {
  EXPECT_EQ(events(read("# queue\nenq 1 1 3\nenq 2 3 5\n")), "0:enq(1) 0=null 1:enq(2) 1=null");
  EXPECT_EQ(events(read("# queue\nenq 1 1 3\nenq 2 3 3\nenq 3 3 4\n")),
            "0:enq(1) 0=null 1:enq(2) 1=null 2:enq(3) 2=null");
  EXPECT_EQ(events(read("# queue\nenq 1 2 2\nenq 2 2 2\n")), "0:enq(1) 1:enq(2) 0=null 1=null")
      << "neither of the two can come first";
}

TEST(Polylin, APriorityQueueHasItsOwnName) {
  EXPECT_EQ(specification(read("# priority-queue\ninsert 5 1 3\npoll 5 4 5\n")), "pqueue");
}

TEST(Polylin, BadLinesAreRefused) {
  const ReadOptions polylin{.format = "polylin"};
  EXPECT_EQ(error_of("# queue\nenq 1 7 3\n"), "2: enq(1) returns at 3, before its call at 7");
  EXPECT_EQ(error_of("# queue\nenq 1 x 3\n", polylin), "2: a start or an end that is not a number");
  EXPECT_EQ(error_of("# queue\nenq 1\n", polylin),
            "2: an operation has a method, a value, perhaps a result, a start and an end");
}

}  // namespace
}  // namespace plumb
