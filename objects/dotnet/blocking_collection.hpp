// SPDX-License-Identifier: MIT
// BlockingCollection of .NET 4.0: a queue whose takers wait for values, and whose adders wait for
// room if it is bounded, until adding is marked as complete.
//
// The values are in a queue, and a semaphore counts them: `add` puts its value into the queue and
// then raises the semaphore; a taker lowers the semaphore and then takes from the queue. Between
// the two steps they contradict each other. This is intended, because it is fast:
//   H  `count` is the semaphore's, so it may be 0 although to_array finds a value;
//   I  `try_take` fails if the semaphore is 0, although another taker has not yet taken the value;
//   K  `cancel` makes takers give up, but one that already waits first checks for a value: if one
//      is added after `cancel` has returned, it takes it. One that comes later does not check.
//
// BlockingCollectionPre is the same around ConcurrentQueuePre, whose time-out (B) has worse
// consequences here (D in Line-Up's Table 2; a guess): the taker has already lowered the semaphore
// when the queue reports that it is empty, and the value can never be taken.
//
// Source: Line-Up (Burckhardt et al., PLDI 2010), Table 1 and sections 5.2.2, 5.3.
//
// Verdict: not linearizable. Smallest tests:
//   H  `add(1) | to_array, count` (one preemption): [1], then 0
//   I  `pre add(1); try_take | try_take, to_array` (one preemption): nothing, then [1]
//   K  `take | cancel, add(1)` (no preemption): take returns 1
//   D  `pre add(1); try_take | add(2)` (two preemptions): nothing
// Blocking takes, add and to_array by themselves are linearizable.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <optional>
#include <stdexcept>
#include <thread>
#include <vector>

#include "concurrent_queue.hpp"
#include "semaphore_slim.hpp"

namespace plumb::objects {

template <class Queue>
class BasicBlockingCollection {
 public:
  BasicBlockingCollection() = default;
  /// Bounded.
  explicit BasicBlockingCollection(int capacity) : free_(std::in_place, capacity) {}

  int count() const { return occupied_.current_count(); }
  std::vector<int> to_array() const { return values_.to_array(); }

  /// The adding operations throw std::logic_error after complete_adding.
  void add(int value) {
    const bool added = add_if(value, [this](SemaphoreSlim& free) {
      return free.wait_unless([this] { return (adders_.load() & kCompleted) != 0; });
    });
    if (!added) throw std::logic_error("adding is completed");
  }
  bool try_add(int value) { return add_if(value, &SemaphoreSlim::try_wait); }
  bool try_add(int value, std::chrono::milliseconds time) {
    return add_if(value, [time](SemaphoreSlim& free) { return free.wait_for(time); });
  }

  /// The taking operations throw std::runtime_error after cancel. Returns: nothing if there is
  /// nothing to take.
  std::optional<int> try_take() { return take_if(&SemaphoreSlim::try_wait); }
  std::optional<int> try_take(std::chrono::milliseconds time) {
    return take_if([time](SemaphoreSlim& occupied) { return occupied.wait_for(time); });
  }

  /// `GetConsumingEnumerable().MoveNext()`: waits for a value. Returns: nothing if there will be
  /// none.
  std::optional<int> take_with_enum() {
    const std::optional<int> value = take_if([this](SemaphoreSlim& occupied) {
      return occupied.wait_unless([this] { return is_adding_completed() || cancelled_.load(); });
    });
    if (!value) throw_if_cancelled();
    return value;
  }

  /// Throws std::logic_error if there will be no value.
  int take() {
    const std::optional<int> value = take_with_enum();
    if (!value) throw std::logic_error("completed");
    return *value;
  }

  /// Returns when all calls that are adding at this moment have finished.
  void complete_adding() {
    adders_ |= kCompleted;
    if (free_) free_->wake_all();
    while (!is_adding_completed()) std::this_thread::yield();
    occupied_.wake_all();
  }

  bool is_adding_completed() const { return adders_.load() == kCompleted; }
  bool is_completed() const { return is_adding_completed() && count() == 0; }

  /// Takers give up, now and later.
  void cancel() {
    cancelled_ = true;
    occupied_.wake_all();
  }

 private:
  static constexpr int kCompleted = 1 << 30;

  template <class WaitsForRoom>
  bool add_if(int value, WaitsForRoom waits_for_room) {
    int before = adders_.load();
    do {
      if ((before & kCompleted) != 0) throw std::logic_error("adding is completed");
    } while (!adders_.compare_exchange_weak(before, before + 1));
    const bool room = !free_ || std::invoke(waits_for_room, *free_);
    if (room) {
      values_.enqueue(value);
      occupied_.release();
    }
    --adders_;
    return room;
  }

  template <class WaitsForValue>
  std::optional<int> take_if(WaitsForValue waits_for_value) {
    throw_if_cancelled();
    if (!std::invoke(waits_for_value, occupied_)) return std::nullopt;
    const std::optional<int> value = values_.try_dequeue();
    if (free_) free_->release();
    return value;
  }

  void throw_if_cancelled() const {
    if (cancelled_.load()) throw std::runtime_error("cancelled");
  }

  Queue values_;
  SemaphoreSlim occupied_;
  std::optional<SemaphoreSlim> free_;
  std::atomic<int> adders_{0};  // the number of adding calls, and whether no more may begin
  std::atomic<bool> cancelled_{false};
};

using BlockingCollection = BasicBlockingCollection<ConcurrentQueue>;
using BlockingCollectionPre = BasicBlockingCollection<ConcurrentQueuePre>;

}  // namespace plumb::objects
