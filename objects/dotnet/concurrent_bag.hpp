// SPDX-License-Identifier: MIT
// ConcurrentBag of .NET 4.0: values in no order.
//
// Every thread has its own list, where it adds, and takes the value that it added last. Only if
// that list is empty does it search the lists of the others and steal the value that was added
// first. If all of them were empty it stops all other threads and searches again, because a value
// may have been added to a list that it had already passed. `count`, `is_empty` and `to_array` also
// stop all other threads.
//
// Which value is taken depends on the order of the threads' first calls, which is not the order of
// their values (J in Line-Up's Table 2): this is intended, as it is a bag.
//
// The mistake of ConcurrentBagPre (E there; the paper does not describe it, this one is invented):
// it stops no thread, and combines what it has read at different moments.
//
// Source: Line-Up (Burckhardt et al., PLDI 2010), Table 1 and section 5.2.2.
//
// Verdict: not linearizable to anything deterministic. Smallest tests:
//   J  `add(10), to_array | add(20), count` (one preemption): the order in the array
//      `add(10) | add(20), count; post try_take`: which one is taken
//   E  `add(10), count | try_take, add(20)` (one preemption): try_take is 10, count 2
#pragma once

#include <atomic>
#include <deque>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "../sets/node_pool.hpp"

namespace plumb::objects {

template <bool kPre>
class BasicConcurrentBag {
 public:
  void add(int value) {
    List& mine = own_list();
    const std::lock_guard lock(mine.mutex);
    mine.values.push_back(value);
  }

  /// Returns: nothing if it is empty.
  std::optional<int> try_take() { return take_or_peek(true); }
  std::optional<int> try_peek() { return take_or_peek(false); }

  int count() const { return static_cast<int>(to_array().size()); }
  bool is_empty() const { return count() == 0; }

  std::vector<int> to_array() const {
    const auto frozen = freeze_unless_pre();
    std::vector<int> values;
    for (const List* list = first_.load(); list != nullptr; list = list->next.load()) {
      const auto lock = lock_unless(!frozen.empty(), *list);
      values.insert(values.end(), list->values.begin(), list->values.end());
    }
    return values;
  }

 private:
  using Lock = std::unique_lock<std::mutex>;

  struct List {
    const std::thread::id owner = std::this_thread::get_id();
    std::atomic<List*> next{nullptr};
    mutable std::mutex mutex;
    std::deque<int> values;
    List* made_before = nullptr;
  };

  List* find_own_list() const {
    List* list = first_.load();
    while (list != nullptr && list->owner != std::this_thread::get_id()) list = list->next.load();
    return list;
  }

  List& own_list() {
    if (List* const mine = find_own_list()) return *mine;
    const std::lock_guard lock(lists_mutex_);
    std::atomic<List*>* link = &first_;
    while (List* const list = link->load()) link = &list->next;
    *link = pool_.make();
    return *link->load();
  }

  static std::optional<int> look(std::deque<int>& values, bool take, bool first) {
    if (values.empty()) return std::nullopt;
    const int value = first ? values.front() : values.back();
    if (take && first) values.pop_front();
    else if (take) values.pop_back();
    return value;
  }

  std::optional<int> take_or_peek(bool take) {
    if (List* const mine = find_own_list()) {
      const std::lock_guard lock(mine->mutex);
      if (const auto value = look(mine->values, take, false)) return value;
    }
    if (const auto value = steal_or_peek(take, false)) return value;
    const auto frozen = freeze_unless_pre();
    return frozen.empty() ? std::nullopt : steal_or_peek(take, true);
  }

  std::optional<int> steal_or_peek(bool take, bool frozen) {
    for (List* list = first_.load(); list != nullptr; list = list->next.load()) {
      const auto lock = lock_unless(frozen, *list);
      if (const auto value = look(list->values, take, true)) return value;
    }
    return std::nullopt;
  }

  static Lock lock_unless(bool frozen, const List& list) {
    return frozen ? Lock() : Lock(list.mutex);
  }

  /// Holds all locks: until they are released no other thread makes progress.
  std::vector<Lock> freeze_unless_pre() const {
    std::vector<Lock> locks;
    if (kPre) return locks;
    locks.emplace_back(lists_mutex_);
    for (const List* list = first_.load(); list != nullptr; list = list->next.load())
      locks.emplace_back(list->mutex);
    return locks;
  }

  mutable std::mutex lists_mutex_;  // held to add a list
  std::atomic<List*> first_{nullptr};
  NodePool<List> pool_;
};

using ConcurrentBag = BasicConcurrentBag<false>;
using ConcurrentBagPre = BasicConcurrentBag<true>;

}  // namespace plumb::objects
