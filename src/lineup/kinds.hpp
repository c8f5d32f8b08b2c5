// SPDX-License-Identifier: MIT
// The objects that a class may resemble: specifications with the names that people have for them.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace plumb::lineup {

/// What the initial value of an object is, if it is not the specification's own.
enum class Start : std::uint8_t { own, capacity, permits, count, participants, first_result };

struct Kind {
  std::string_view specification, words, noun;
  std::array<std::string_view, 3> needed;  // methods without which it is no such object
  std::string_view discipline;             // kinds that exclude one another have different ones
  std::string_view keyword;                // in the name of a class
  Start start = Start::own;
};

/// Simple ones first: of two that agree equally well, the first is named. No bag, which most
/// collections are.
inline constexpr Kind kKinds[] = {
    {"register",
     "a register",
     "a register",
     {"read", "write"},
     "",
     "register",
     Start::first_result},
    {"map", "a map", "a map", {"get", "put"}, "", "map"},
    {"array",
     "an array of registers",
     "an array of registers",
     {"read", "write"},
     "",
     "array",
     Start::first_result},
    {"set", "a set", "a set", {"insert"}, "", "set"},
    {"queue", "a FIFO queue", "a queue", {"enq", "deq"}, "queue", "queue"},
    {"stack", "a stack", "a stack", {"push", "pop"}, "stack", "stack"},
    {"pqueue",
     "a priority queue, the largest first",
     "a priority queue (the largest first)",
     {"insert", "poll"},
     "largest",
     "priority"},
    {"pqueue-min",
     "a priority queue, the smallest first",
     "a priority queue (the smallest first)",
     {"insert", "poll"},
     "smallest",
     "priority"},
    {"counter", "a counter", "a counter", {}, "", "counter", Start::first_result},
    {"mutex", "a lock", "a lock", {"unlock"}, "", "mutex"},
    {"semaphore", "a semaphore", "a semaphore", {"release"}, "", "semaphore", Start::permits},
    {"blocking-queue",
     "a blocking FIFO queue",
     "a blocking queue",
     {"enq", "deq"},
     "queue",
     "queue"},
    {"blocking-stack", "a blocking stack", "a blocking stack", {"push", "pop"}, "stack", "stack"},
    {"bounded-queue",
     "a FIFO queue",
     "a bounded queue",
     {"enq", "deq"},
     "queue",
     "queue",
     Start::capacity},
    {"bounded-stack",
     "a stack",
     "a bounded stack",
     {"push", "pop"},
     "stack",
     "stack",
     Start::capacity},
    {"deque",
     "a double-ended queue",
     "a double-ended queue",
     {"push_front", "push_back", "pop_front"},
     "",
     "deque"},
    {"work-stealing-deque",
     "a work-stealing deque",
     "a work-stealing deque",
     {"push", "pop", "steal"},
     "",
     "deque"},
    {"bounded-work-stealing-deque",
     "a work-stealing deque",
     "a bounded work-stealing deque",
     {"push", "pop", "steal"},
     "",
     "deque",
     Start::capacity},
    {"multimap", "a multimap", "a multimap", {"put", "get"}, "", "multimap"},
    {"rwlock",
     "a readers-writer lock",
     "a readers-writer lock",
     {"unlock", "unlock_shared"},
     "",
     "rwlock"},
    {"latch", "a latch", "a latch", {"count_down"}, "", "latch", Start::count},
    {"barrier", "a barrier", "a barrier", {"arrive"}, "", "barrier", Start::participants},
};

}  // namespace plumb::lineup
