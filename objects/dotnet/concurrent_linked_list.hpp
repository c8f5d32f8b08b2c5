// SPDX-License-Identifier: MIT
// ConcurrentLinkedList of the preview of .NET 4.0: a list that grows and shrinks at both ends,
// under a lock; its length is stored separately, so that it can be read without the lock.
//
// The mistake of ConcurrentLinkedListPre (C in Line-Up's Table 2; the paper does not describe it,
// this one is invented): the length is changed after the lock is released. In between, the list and
// its length contradict each other. ConcurrentLinkedList changes it before.
//
// Source: Line-Up (Burckhardt et al., PLDI 2010), Table 1 ("RemoveList" there is taken for
// RemoveLast).
//
// Verdict: ConcurrentLinkedList is linearizable, ConcurrentLinkedListPre is not. Smallest test:
// `add_first(1) | remove_first, count` (one preemption): remove_first finds 1, then count is -1.
#pragma once

#include <atomic>
#include <list>
#include <mutex>
#include <optional>

namespace plumb::objects {

template <bool kPre>
class BasicConcurrentLinkedList {
 public:
  int count() const { return count_.load(); }

  void add_first(int value) {
    std::unique_lock lock(mutex_);
    values_.push_front(value);
    change_count(+1, lock);
  }

  void add_last(int value) {
    std::unique_lock lock(mutex_);
    values_.push_back(value);
    change_count(+1, lock);
  }

  /// `RemoveFirst(out value)`. Returns: nothing if it is empty.
  std::optional<int> take_first() {
    std::unique_lock lock(mutex_);
    if (values_.empty()) return std::nullopt;
    const int value = values_.front();
    values_.pop_front();
    change_count(-1, lock);
    return value;
  }

  std::optional<int> take_last() {
    std::unique_lock lock(mutex_);
    if (values_.empty()) return std::nullopt;
    const int value = values_.back();
    values_.pop_back();
    change_count(-1, lock);
    return value;
  }

  bool remove_first() { return take_first().has_value(); }
  bool remove_last() { return take_last().has_value(); }

 private:
  void change_count(int by, std::unique_lock<std::mutex>& lock) {
    if constexpr (kPre) lock.unlock();
    count_ += by;
  }

  std::mutex mutex_;
  std::list<int> values_;
  std::atomic<int> count_{0};
};

using ConcurrentLinkedList = BasicConcurrentLinkedList<false>;
using ConcurrentLinkedListPre = BasicConcurrentLinkedList<true>;

}  // namespace plumb::objects
