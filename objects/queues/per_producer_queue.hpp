// SPDX-License-Identifier: MIT
// One queue per producer; consumers visit them in the order of the producers' first calls: fast,
// because producers never contend.
//
// The order between values of different producers is lost, which is intended. The order is not even
// a function of the calls: a producer's queue may be made before another producer's value is added,
// and its value after it.
//
// Source: moodycamel's ConcurrentQueue (its README says so).
//
// Verdict: not linearizable. Smallest test: `enq(1) | enq(2), deq, enq(2); post deq` (one
// preemption): first 2, so that one came first, and then 1. With one producer it is linearizable.
#pragma once

#include <atomic>
#include <deque>
#include <mutex>
#include <optional>
#include <thread>

#include "../sets/node_pool.hpp"

namespace plumb::objects {

class PerProducerQueue {
 public:
  void enq(int value) {
    Producer& mine = own_queue();
    const std::lock_guard lock(mine.mutex);
    mine.values.push_back(value);
  }

  /// Returns: nothing if it found all of them empty.
  std::optional<int> deq() {
    for (Producer* one = first_.load(); one != nullptr; one = one->next.load()) {
      const std::lock_guard lock(one->mutex);
      if (one->values.empty()) continue;
      const int value = one->values.front();
      one->values.pop_front();
      return value;
    }
    return std::nullopt;
  }

 private:
  struct Producer {
    const std::thread::id thread = std::this_thread::get_id();
    std::mutex mutex;
    std::deque<int> values;
    std::atomic<Producer*> next{nullptr};
    Producer* made_before = nullptr;
  };

  Producer& own_queue() {
    std::atomic<Producer*>* link = &first_;
    Producer* made = nullptr;
    while (true) {
      Producer* one = link->load();
      if (one == nullptr) {
        if (made == nullptr) made = pool_.make();
        if (link->compare_exchange_strong(one, made)) return *made;
      }
      if (one->thread == std::this_thread::get_id()) return *one;
      link = &one->next;
    }
  }

  NodePool<Producer> pool_;
  std::atomic<Producer*> first_{nullptr};
};

}  // namespace plumb::objects
