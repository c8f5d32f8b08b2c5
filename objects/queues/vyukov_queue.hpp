// SPDX-License-Identifier: MIT
// D. Vyukov's bounded queue for many producers and consumers: a ring of cells, each with a sequence
// number that tells whose turn it is. A producer moves the tail, fills the cell and raises the
// number; a consumer moves the head, takes the value and raises it once more.
//
// The mistake of VyukovQueue: it decides from that number alone whether the queue is empty or full.
// While a producer is between its two steps, a consumer that reaches its cell returns "empty",
// although there may be values behind it; and the mirror image at the other end. This is common in
// fast queues, and often documented ("weak"). FixedVyukovQueue reads the other end, and waits.
//
// Source: 1024cores.net; xenium's documentation of vyukov_bounded_queue; rigtorp/MPMCQueue #46.
//
// Verdict: VyukovQueue is not linearizable, FixedVyukovQueue is. Smallest tests: `enq(1) | enq(2),
// deq` (one preemption): deq returns empty. `pre enq(1), enq(2); deq | deq, enq(3)` (one
// preemption): enq returns full.
#pragma once

#include <array>
#include <atomic>
#include <optional>
#include <thread>

namespace plumb::objects {

template <bool kFixed, std::size_t kCells = 2>
class BasicVyukovQueue {
 public:
  BasicVyukovQueue() {
    for (std::size_t i = 0; i < kCells; ++i) cells_[i].turn = i;
  }

  /// Returns: false if it is full.
  bool enq(int value) {
    std::size_t tail = tail_.load();
    while (true) {
      Cell& cell = cells_[tail % kCells];
      const std::size_t turn = cell.turn.load();
      if (turn == tail) {
        if (!tail_.compare_exchange_strong(tail, tail + 1)) continue;
        cell.value = value;
        cell.turn = tail + 1;
        return true;
      }
      if (turn < tail && (!kFixed || head_.load() + kCells == tail)) return false;
      std::this_thread::yield();
      tail = tail_.load();
    }
  }

  /// Returns: nothing if it is empty.
  std::optional<int> deq() {
    std::size_t head = head_.load();
    while (true) {
      Cell& cell = cells_[head % kCells];
      const std::size_t turn = cell.turn.load();
      if (turn == head + 1) {
        if (!head_.compare_exchange_strong(head, head + 1)) continue;
        const int value = cell.value.load();
        cell.turn = head + kCells;
        return value;
      }
      if (turn < head + 1 && (!kFixed || tail_.load() == head)) return std::nullopt;
      std::this_thread::yield();
      head = head_.load();
    }
  }

 private:
  struct Cell {
    std::atomic<std::size_t> turn;
    std::atomic<int> value{0};
  };

  std::array<Cell, kCells> cells_;
  std::atomic<std::size_t> head_{0}, tail_{0};
};

using VyukovQueue = BasicVyukovQueue<false>;
using FixedVyukovQueue = BasicVyukovQueue<true>;

}  // namespace plumb::objects
