// SPDX-License-Identifier: MIT
// The relaxed priority queue of Round-Up (Zhang et al.), Table I: `deq_min` takes one of the k + 1
// most urgent values, at random. Every value counts how often a less urgent one has overtaken it;
// nothing is taken behind a value that was overtaken k times.
//
// The mistake of QuasiPriorityQueueB2: it draws a place under the lock, releases the lock and takes
// it again. If another thread has taken the value there, it takes the value k + 1 places further
// on: more than k away from the head.
//
// Source: Round-Up, Table I, which says no more than what is promised and what is broken. The
// implementation and the mistake are guesses. (There is no b1 in the table.)
//
// Verdict: QuasiPriorityQueue is k-quasi linearizable (at most k values more urgent than the one
// that is taken, none overtaken more than k times), and linearizable with k = 0.
// QuasiPriorityQueueB2 is not quasi linearizable; used by one thread it is. Smallest test, k = 0:
// `pre enq(1,1), enq(2,2), enq(3,3); deq_min | deq_min; post deq_min` (one preemption): 3 before 2.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <map>
#include <mutex>
#include <optional>

#include "../random_index.hpp"

namespace plumb::objects {

template <unsigned kFactor, bool kFixed>
class BasicQuasiPriorityQueue {
 public:
  /// Smaller priorities first; among equal ones the older first.
  void enq(int value, int priority) {
    const std::lock_guard lock(mutex_);
    entries_.emplace(priority, Entry{value, ++enqs_});
  }

  /// Returns: nothing if it is empty.
  std::optional<int> deq_min() {
    while (true) {
      std::unique_lock lock(mutex_);
      if (entries_.empty()) return std::nullopt;
      std::size_t place = random_index(reach() + 1);
      auto chosen = std::next(entries_.begin(), static_cast<std::ptrdiff_t>(place));
      if constexpr (!kFixed) {
        const unsigned number = chosen->second.number;
        lock.unlock();
        lock.lock();
        if (entries_.empty()) continue;
        chosen = std::find_if(entries_.begin(), entries_.end(),
                              [&](const auto& entry) { return entry.second.number == number; });
        if (chosen == entries_.end()) {
          place = std::min<std::size_t>(place + kFactor + 1, entries_.size() - 1);
          chosen = std::next(entries_.begin(), static_cast<std::ptrdiff_t>(place));
        }
      }
      const int value = chosen->second.value;
      for (auto before = entries_.begin(); before != chosen; ++before) ++before->second.overtaken;
      entries_.erase(chosen);
      return value;
    }
  }

 private:
  struct Entry {
    int value;
    unsigned number;
    unsigned overtaken = 0;
  };

  /// The last place from which a value may be taken.
  std::size_t reach() const {
    std::size_t place = 0;
    for (auto entry = entries_.begin(); place < kFactor && place + 1 < entries_.size(); ++entry) {
      if (entry->second.overtaken == kFactor) break;
      ++place;
    }
    return place;
  }

  std::mutex mutex_;
  std::multimap<int, Entry> entries_;  // by priority
  unsigned enqs_ = 0;
};

template <unsigned kFactor>
using QuasiPriorityQueue = BasicQuasiPriorityQueue<kFactor, true>;
template <unsigned kFactor>
using QuasiPriorityQueueB2 = BasicQuasiPriorityQueue<kFactor, false>;

}  // namespace plumb::objects
