// SPDX-License-Identifier: MIT
// ConcurrentQueue of .NET 4.0: first in, first out, in linked segments of slots that are used once.
//
// `enqueue` raises `high` of the last segment, which reserves a slot and is where it takes effect,
// then fills the slot and marks it as filled; the thread that gets the last slot appends a segment.
// `try_dequeue` raises `low` of the first segment and waits until its slot is filled. `count` and
// `to_array` read the four ends until two consecutive reads agree.
//
// ConcurrentQueuePre is simpler: a list with a lock. Its mistake (B in Line-Up's Table 2; described
// in Figure 1 and section 1.1): `try_dequeue` waits for the lock for a limited time only, and
// returns "empty" if it did not get it.
//
// Source: Line-Up (Burckhardt et al., PLDI 2010), Table 1. The paper does not say whether Figure 1
// shows B or D; we use its time-out for both.
//
// Verdict: ConcurrentQueue is linearizable, ConcurrentQueuePre is not. Smallest test: `pre
// enqueue(1); try_dequeue | enqueue(2)` (two preemptions): try_dequeue returns empty. Figure 1:
// `enqueue(200), try_dequeue | enqueue(400), try_dequeue`.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <deque>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "../sets/node_pool.hpp"

namespace plumb::objects {

template <int kSlots>
class BasicConcurrentQueue {
 public:
  void enqueue(int value) {
    while (!append(*tail_.load(), value)) std::this_thread::yield();
  }

  /// Returns: nothing if it is empty.
  std::optional<int> try_dequeue() {
    while (!is_empty())
      if (const std::optional<int> value = remove(*head_.load())) return value;
    return std::nullopt;
  }

  /// The value that try_dequeue would take.
  std::optional<int> try_peek() const {
    while (!is_empty()) {
      const Segment& head = *head_.load();
      const int low = head.low.load();
      if (low > head.last()) continue;  // the segment is used up; another will become the head
      return head.slots[static_cast<std::size_t>(low)].value();
    }
    return std::nullopt;
  }

  bool is_empty() const {
    while (true) {
      const Segment& head = *head_.load();
      if (head.low.load() <= head.last()) return false;
      if (head.next.load() == nullptr) return true;
      std::this_thread::yield();  // until the head has moved
    }
  }

  int count() const {
    const Ends ends = read_ends();
    return (ends.tail->number - ends.head->number) * kSlots + ends.high - ends.low + 1;
  }

  std::vector<int> to_array() const {
    const Ends ends = read_ends();
    std::vector<int> values;
    for (const Segment* segment = ends.head;; segment = segment->next.load()) {
      const int from = segment == ends.head ? ends.low : 0;
      const int to = segment == ends.tail ? ends.high : kSlots - 1;
      for (int i = from; i <= to; ++i)
        values.push_back(segment->slots[static_cast<std::size_t>(i)].value());
      if (segment == ends.tail) return values;
    }
  }

 private:
  struct Slot {
    int value() const {
      while (!filled.load()) std::this_thread::yield();
      return content.load();
    }
    std::atomic<int> content{0};
    std::atomic<bool> filled{false};
  };

  struct Segment {
    explicit Segment(int n) : number(n) {}
    /// The last slot that was reserved; `high` also counts the threads that came too late.
    int last() const { return std::min(high.load(), kSlots - 1); }

    const int number;
    std::atomic<int> low{0}, high{-1};
    std::atomic<Segment*> next{nullptr};
    std::array<Slot, kSlots> slots;
    Segment* made_before = nullptr;
  };

  struct Ends {
    bool operator==(const Ends&) const = default;
    const Segment *head, *tail;
    int low, high;
  };

  /// Returns: false if the segment is full, and another one is being appended.
  bool append(Segment& segment, int value) {
    if (segment.high.load() >= kSlots - 1) return false;
    const int mine = segment.high.fetch_add(1) + 1;
    if (mine >= kSlots) return false;
    Slot& slot = segment.slots[static_cast<std::size_t>(mine)];
    slot.content = value;
    slot.filled = true;
    if (mine == kSlots - 1) {
      segment.next = pool_.make(segment.number + 1);
      tail_ = segment.next.load();
    }
    return true;
  }

  std::optional<int> remove(Segment& segment) {
    int low = segment.low.load();
    while (low <= segment.last()) {
      if (!segment.low.compare_exchange_strong(low, low + 1)) continue;
      const int value = segment.slots[static_cast<std::size_t>(low)].value();
      if (low == kSlots - 1) {
        while (segment.next.load() == nullptr) std::this_thread::yield();
        head_ = segment.next.load();
      }
      return value;
    }
    return std::nullopt;
  }

  /// The ends as they were at one moment: none of them ever returns to an earlier value.
  Ends read_ends() const {
    const auto read = [this] {
      const Segment *head = head_.load(), *tail = tail_.load();
      return Ends{head, tail, head->low.load(), tail->last()};
    };
    Ends ends = read();
    while (true) {
      const Ends again = read();
      if (again == ends && ends.head->number <= ends.tail->number) return ends;
      ends = again;
    }
  }

  NodePool<Segment> pool_;
  std::atomic<Segment*> head_{pool_.make(0)};
  std::atomic<Segment*> tail_{head_.load()};
};

using ConcurrentQueue = BasicConcurrentQueue<32>;
/// Appends a segment with every second value.
using ConcurrentQueueOfPairs = BasicConcurrentQueue<2>;

class ConcurrentQueuePre {
 public:
  void enqueue(int value) {
    const std::lock_guard lock(mutex_);
    values_.push_back(value);
  }

  std::optional<int> try_dequeue() {
    const std::unique_lock lock(mutex_, std::chrono::milliseconds(1));
    if (!lock.owns_lock() || values_.empty()) return std::nullopt;
    const int value = values_.front();
    values_.pop_front();
    return value;
  }

  std::optional<int> try_peek() const {
    const std::lock_guard lock(mutex_);
    return values_.empty() ? std::nullopt : std::optional(values_.front());
  }

  bool is_empty() const { return count() == 0; }

  int count() const {
    const std::lock_guard lock(mutex_);
    return static_cast<int>(values_.size());
  }

  std::vector<int> to_array() const {
    const std::lock_guard lock(mutex_);
    return {values_.begin(), values_.end()};
  }

 private:
  mutable std::timed_mutex mutex_;
  std::deque<int> values_;
};

}  // namespace plumb::objects
