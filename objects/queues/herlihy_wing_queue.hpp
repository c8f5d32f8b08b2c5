// SPDX-License-Identifier: MIT
// The queue of Herlihy & Wing (TOPLAS 1990, figure 8): an array of slots; `enq` reserves one and
// fills it; `deq` scans them from the first to the last reserved one, repeatedly, until it can take
// a value. The order of effects is known only later, so no step of the code is the linearization
// point of `enq`.
//
// OneScanQueue has a `deq` that does not wait: if it has seen every slot empty, it returns "empty".
// That is its mistake: values may have been added behind it, and the queue was never empty.
//
// Source: as above; the second one is ours.
//
// Verdict: HerlihyWingQueue is linearizable, OneScanQueue is not. Smallest test: `pre enq(1); deq |
// enq(2), deq` (one preemption): deq returns empty.
#pragma once

#include <array>
#include <atomic>
#include <optional>
#include <thread>

namespace plumb::objects {

class HerlihyWingSlots {
 public:
  /// Requires: the value is not 0, and there are no more than kSlots calls.
  void enq(int value) { slots_.at(back_.fetch_add(1)) = value; }

 protected:
  std::optional<int> scan() {
    const std::size_t range = back_.load();
    for (std::size_t i = 0; i < range; ++i)
      if (const int value = slots_.at(i).exchange(0)) return value;
    return std::nullopt;
  }

 private:
  static constexpr std::size_t kSlots = 64;
  std::atomic<std::size_t> back_{0};
  std::array<std::atomic<int>, kSlots> slots_{};
};

class HerlihyWingQueue : public HerlihyWingSlots {
 public:
  /// Waits for a value.
  int deq() {
    while (true) {
      if (const std::optional<int> value = scan()) return *value;
      std::this_thread::yield();
    }
  }
};

class OneScanQueue : public HerlihyWingSlots {
 public:
  std::optional<int> deq() { return scan(); }
};

}  // namespace plumb::objects
