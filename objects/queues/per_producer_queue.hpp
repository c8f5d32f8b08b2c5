// SPDX-License-Identifier: MIT
// A queue for each producer, and consumers that go through them in the order in which the producers
// came: fast, since producers never meet.
//
// What is lost is the order between values of different producers, on purpose. That it is no
// function of the calls either shows where a producer's queue is made before another producer's
// value comes, and its value after it.
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

  /// Returns: nothing if it has found all of them empty.
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
