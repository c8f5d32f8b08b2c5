// SPDX-License-Identifier: MIT
#include "spec/specifications.hpp"

#include <algorithm>

#include "spec/names.hpp"

namespace plumb {

namespace {

std::vector<NamedSpecification> cells_and_sets() {
  return {
      {&register_specification,
       {"cas-register", "rw-register", "atomic"},
       "One value that is read, written and compared-and-set.",
       "any value; default: 0"},
      {&array_specification,
       {},
       "Registers by index; any integer is an index.",
       "any value, at every index; default: 0"},
      {&multi_register_specification,
       {"multiregister", "txn-register"},
       "Registers by key, with transactions. `ops` is a list of `[f, k, v]` where `f` is `r` (or "
       "`read`; `v` is null or left out) or `w` (or `write`); the result is the same list with the "
       "values that were read.",
       "any value, at every key; default: null"},
      {&map_specification,
       {"kv", "key-value", "dictionary"},
       "Values by key. An absent key reads as the initial value. `append` to an absent key stores "
       "`v`; to a string it appends the text, to a list one item, and any other value and `v` "
       "become a list of two.",
       "what an absent key reads as: any value; default: null"},
      {&set_specification, {}, "A set of values.", "a list of elements; default: empty"},
  };
}

std::vector<NamedSpecification> collections() {
  return {
      {&queue_specification,
       {"fifo"},
       "First in, first out; unbounded. An element can be any value but null.",
       "a list of elements, first out first; default: empty"},
      {&stack_specification,
       {"lifo"},
       "Last in, first out; unbounded. An element can be any value but null.",
       "a list of elements, top last; default: empty"},
      {&pqueue_specification,
       {"priority-queue", "pqueue-max"},
       "A priority queue: the largest goes out first. Numbers compare as numbers, strings as text, "
       "lists item by item.",
       "a list of elements; default: empty"},
      {&pqueue_min_specification,
       {"priority-queue-min"},
       "A priority queue: the smallest goes out first.",
       "a list of elements; default: empty"},
      {&bag_specification,
       {"pool", "multiset"},
       "A pool of values: `remove` may take any of them (nondeterministic).",
       "a list of elements; default: empty"},
  };
}

std::vector<NamedSpecification> bounded_and_two_ended_ones() {
  return {
      {&bounded_queue_specification,
       {"bounded-fifo", "ring-buffer"},
       "First in, first out, with room for a number of elements; `enq` says whether there was "
       "room. "
       "An element can be any value but null.",
       "the capacity, at least 1; default: 2"},
      {&bounded_stack_specification,
       {"bounded-lifo"},
       "Last in, first out, with room for a number of elements; `push` says whether there was "
       "room. "
       "An element can be any value but null.",
       "the capacity, at least 1; default: 2"},
      {&deque_specification,
       {"double-ended-queue"},
       "A queue with two ends; unbounded. An element can be any value but null.",
       "a list of elements, first to last; default: empty"},
      {&work_stealing_deque_specification,
       {"steal-deque"},
       "A deque whose owner adds and takes at one end, last in, first out; `steal` takes the "
       "oldest "
       "element at the other end. Any process may be the owner.",
       "a list of elements, oldest first; default: empty"},
      {&bounded_work_stealing_deque_specification,
       {"steal-ring"},
       "A work-stealing deque with room for a number of elements; `push` says whether there was "
       "room. An element can be any value but null.",
       "the capacity, at least 1; default: 2"},
  };
}

std::vector<NamedSpecification> multimaps_and_synchronisers() {
  return {
      {&multimap_specification,
       {},
       "Several values by key, also the same one several times. `remove` removes one of them.",
       "a list of [k, v]; default: empty"},
      {&rwlock_specification,
       {"shared-mutex", "readers-writer-lock", "read-write-lock"},
       "A lock that is held by one writer or by several readers; not reentrant. Any process may "
       "unlock it.",
       "a boolean, true if a writer holds it; default: false"},
      {&latch_specification,
       {"count-down-latch"},
       "`wait` waits until the count is 0; at 0, `count_down` does nothing. A call that counts "
       "down "
       "and waits (`arrive_and_wait`) has to be recorded as two: it counts before the others that "
       "it waits for, and returns after them, so it does not take effect at one moment.",
       "the count; default: 1"},
      {&barrier_specification,
       {"phaser"},
       "A number of participants arrive in each phase; the last arrival ends it. `arrive` gives "
       "the "
       "phase, and `wait` waits until that phase is over. `arrive_and_wait` has to be recorded as "
       "two calls, as with a latch.",
       "the number of participants, at least 1; default: 2"},
  };
}

std::vector<NamedSpecification> numbers_and_blocking_ones() {
  return {
      {&counter_specification,
       {},
       "An integer of 64 bits that wraps around.",
       "an integer; default: 0"},
      {&mutex_specification,
       {"lock"},
       "A lock that is not reentrant; any process may unlock it, not only the one that holds it.",
       "a boolean, true if it is held; default: false"},
      {&semaphore_specification, {}, "Counts permits.", "the number of permits; default: 1"},
      {&blocking_queue_specification,
       {},
       "First in, first out; `deq` waits for an element.",
       "a list of elements, first out first; default: empty"},
      {&blocking_stack_specification,
       {},
       "Last in, first out; `pop` waits for an element.",
       "a list of elements, top last; default: empty"},
  };
}

}  // namespace

std::span<const NamedSpecification> named_specifications() {
  static const std::vector<NamedSpecification> all = [] {
    std::vector<NamedSpecification> joined;
    for (const auto& part : {cells_and_sets(), collections(), numbers_and_blocking_ones(),
                             bounded_and_two_ended_ones(), multimaps_and_synchronisers()})
      joined.insert(joined.end(), part.begin(), part.end());
    return joined;
  }();
  return all;
}

const Specification* find_specification(std::string_view name) {
  for (const NamedSpecification& named : named_specifications()) {
    const auto matches = [name](std::string_view n) { return same_name(n, name); };
    if (matches(named.get().name()) ||
        std::any_of(named.aliases.begin(), named.aliases.end(), matches))
      return &named.get();
  }
  return nullptr;
}

std::vector<const Specification*> all_specifications() {
  std::vector<const Specification*> all;
  for (const NamedSpecification& named : named_specifications()) all.push_back(&named.get());
  return all;
}

}  // namespace plumb
