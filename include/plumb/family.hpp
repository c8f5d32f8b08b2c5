// SPDX-License-Identifier: MIT
// What kind of object a specification describes, and what each of its methods does in such an
// object.
//
// A specification is a black box to the engines that search. The polynomial ones (monitors), the
// sentences of explanations, relaxations and streams know more: they know queues, registers, sets.
// They find out by family and role, never by a name:
//
//   plumb::describe<Fifo>("mailbox")
//       .family(plumb::Family::queue)
//       .method("post", &Fifo::post).role(plumb::Role::adds)
//       .method("fetch", &Fifo::fetch).role(plumb::Role::takes);
//
// A family is a claim, and it is checked before anything relies on it (Specification::family): once
// for each specification, its methods are compared with what the family's objects do, on all short
// sequences of calls and on a long one. A claim that turns out to be wrong is ignored: the
// specification is then judged by search, as what it does, and the report says which calls showed
// it. It is no error, because the verdict is right without the family; it only takes longer.
// The check runs the methods on small integers, short strings and lists of them, so a method has
// to be defined for all values of its types: it calls plumb::block() where the object has to wait.
// A difference that the check is too short to see does not give a wrong verdict on a history
// either: the specification itself replays every order, and a second engine, which searches,
// confirms every violation. (A stream keeps no order to replay. There, `holds` relies on the
// check.)
//
// Only what the roles below say is compared. Methods without a role may do anything: monitors
// leave histories with such calls to the search.
#pragma once

#include <cstdint>
#include <string_view>

#include "plumb/export.hpp"

namespace plumb {

/// In brackets the roles that its methods can have.
enum class Family : std::uint8_t {
  none,
  cell,                // a register [reads, writes, swaps]
  array,               // cells by key; every cell starts with the same value [as cell]
  map,                 // values by key; an absent key reads as the initial value, nil unless given
                       // [as cell; removes, contains, counts]
  multi_register,      // an array that also has transactions, which have no role [as cell]
  set,                 // [adds, removes, contains, counts]
  queue,               // first in, first out [adds, takes, peeks, counts]
  stack,               // last in, first out [as queue]
  max_priority_queue,  // the largest value leaves first [as queue]
  min_priority_queue,  // the smallest value leaves first [as queue]
  bag,                 // any value leaves [as queue]
  counter,             // an integer [reads, writes, increments, decrements]
  mutex,               // [acquires, releases]
  semaphore,           // [acquires, releases, reads]
};

/// What a method does. Of arrays, maps and multi-registers the key is one more argument, the first,
/// and is said to be one: .key(0); so is the value of a set.
enum class Role : std::uint8_t {
  none,
  reads,     // returns the value; of a semaphore the number of permits
  writes,    // (v) stores v, returns nothing
  swaps,     // compare-and-swap: (expected, v) stores v if the value is `expected`; returns whether
  adds,      // (v) puts v inside, which is not nil; returns nothing; of a set whether it was absent
  takes,     // removes the value that leaves next and returns it; if empty, nil, or it blocks
  peeks,     // returns the value that leaves next, nil if empty
  removes,   // (v) of a set and a map: removes v; returns whether it was present
  contains,  // (v) of a set and a map: returns whether v is there
  counts,    // returns how many values are inside
  increments,  // () by 1 or (n) by n; returns nothing, or the count before
  decrements,  // the same, downwards
  acquires,    // takes a permit: if there is none, it blocks, or (if it returns a boolean) is false
  releases,    // gives a permit back; blocks if it is a mutex that is not held
};

/// "register", "queue", "priority queue (smallest first)"
PLUMB_API std::string_view to_string(Family family);
/// As in the code: "adds"
PLUMB_API std::string_view to_string(Role role);

}  // namespace plumb
