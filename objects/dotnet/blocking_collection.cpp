// SPDX-License-Identifier: MIT
//! BlockingCollectionPre: "pre add(200); try_take | add(400)", preemptions 2: violation
//! BlockingCollectionPre: "add(200), try_take | add(400), try_take", preemptions 2: violation
//! BlockingCollectionPre: "take | cancel, add(200)", preemptions 0: violation
//! BlockingCollection: "add(200) | to_array, count", preemptions 1: violation
//! BlockingCollection: "add(200), try_take | count, to_array", preemptions 1: violation
//! BlockingCollection: "pre add(200); try_take | try_take, to_array", preemptions 1: violation
//! BlockingCollection: "add(200) | try_take | try_take, to_array", preemptions 1: violation
//! BlockingCollection: "take | cancel, add(200)", preemptions 0: violation
//! BlockingCollection: "add(200), take | add(400), take", preemptions 2: holds
//! BlockingCollection: "take | add(200), complete_adding", preemptions 2: holds
//! BlockingCollection: "take_with_enum, is_adding_completed | try_add(200), complete_adding", preemptions 2: holds
//! BlockingCollection: "try_take_for_1ms, is_completed | add(200), complete_adding", preemptions 2: holds
//! BlockingCollection RELAXED: "add(200) | to_array, count", preemptions 2: holds
//! BlockingCollection RELAXED: "add(200), try_take | count, to_array", preemptions 2: holds
//! BlockingCollection RELAXED: "pre add(200); try_take | try_take, to_array", preemptions 2: holds
//! BlockingCollection RELAXED: "add(200) | try_take | try_take, to_array", preemptions 2: holds
//! BlockingCollection RELAXED: "take | cancel, add(200)", preemptions 2: holds
#include "blocking_collection.hpp"

#include <plumb/test.hpp>

#ifndef OBJECT
#define OBJECT BlockingCollection
#endif
using Collection = plumb::objects::OBJECT;

int main(int argc, char** argv) {
  using std::chrono::milliseconds;
  const auto numbers = plumb::values(200, 400);
  const auto try_add = [](Collection& c, int value) { return c.try_add(value); };
  const auto try_add_for_1ms = [](Collection& c, int value) {
    return c.try_add(value, milliseconds(1));
  };
  const auto try_take = [](Collection& c) { return c.try_take(); };
  const auto try_take_for_1ms = [](Collection& c) { return c.try_take(milliseconds(1)); };
  auto collection = plumb::describe<Collection>("blocking_collection");
  const auto last = [&collection](auto relax) {
#ifdef RELAXED  // as documented since
    relax(collection);
#else
    (void)relax, (void)collection;
#endif
  };
  const auto may_fail = [](auto& method) { method.may_fail_under_contention(); };
  collection.method("count", &Collection::count);
  last([](auto& method) { method.weak_read(); });
  collection.method("to_array", &Collection::to_array)
      .method("add", &Collection::add, numbers)
      .method("try_add", try_add, numbers)
      .method("try_add_for_1ms", try_add_for_1ms, numbers)
      .method("take", &Collection::take)
      .method("take_with_enum", &Collection::take_with_enum);
  collection.method("try_take", try_take);
  last(may_fail);
  collection.method("try_take_for_1ms", try_take_for_1ms);
  last(may_fail);
  collection.method("complete_adding", &Collection::complete_adding)
      .method("is_adding_completed", &Collection::is_adding_completed)
      .method("is_completed", &Collection::is_completed)
      .method("cancel", &Collection::cancel);
  last([](auto& method) { method.asynchronous(); });
  return plumb::test(collection).main(argc, argv);
}
