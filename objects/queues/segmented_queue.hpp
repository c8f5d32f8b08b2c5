// SPDX-License-Identifier: MIT
// A relaxed queue: a list of segments of k + 1 slots; values enter the last segment and leave the
// first one, in any order within it (Afek, Korland, Yanovsky: Quasi-Linearizability, OPODIS 2010).
// No slot is reused, so a value is overtaken only by those of its own segment.
//
// The mistake of SegmentedQueue: `deq` returns "empty" if it found no value and at least one slot
// that was never filled. By the time it reaches the last slot, another thread may have filled the
// first one. FixedSegmentedQueue reads the slots again, and restarts if one has changed.
//
// Source: Afek et al. as it is commonly implemented.
//
// Verdict: FixedSegmentedQueue is k-quasi linearizable. SegmentedQueue with k >= 1 is not even a
// bag: smallest test `pre enq(1); deq | enq(2), deq` (one preemption, and a random choice by which
// the first deq visits the empty slot first): it returns empty. With one thread both are correct.
// With k = 0 there is one slot per segment, and both are linearizable. All relaxations of Plumb
// except def4 reject it; def4 accepts any "empty", because it does not restrict how enqs and deqs
// interleave. (slot and all need a test that takes everything out, and a value behind the two:
// "empty" may move by one place.)
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <optional>

#include "../random_index.hpp"
#include "../sets/node_pool.hpp"

namespace plumb::objects {

template <unsigned kFactor, bool kFixed>
class BasicSegmentedQueue {
 public:
  /// Requires: the value is positive.
  void enq(int value) {
    while (true) {
      Segment* tail = tail_.load();
      const std::size_t first = random_index(kSlots);
      for (std::size_t i = 0; i < kSlots; ++i) {
        int expected = kEmpty;
        if (tail->slots[(first + i) % kSlots].compare_exchange_strong(expected, value)) return;
      }
      Segment* next = tail->next.load();
      if (next == nullptr) {
        Segment* const made = pool_.make();
        if (tail->next.compare_exchange_strong(next, made)) next = made;
      }
      tail_.compare_exchange_strong(tail, next);
    }
  }

  /// Returns: nothing if it is empty.
  std::optional<int> deq() {
    while (true) {
      Segment* head = head_.load();
      const std::size_t first = random_index(kSlots);
      std::array<int, kSlots> seen;
      bool all_taken = true;
      for (std::size_t i = 0; i < kSlots; ++i) {
        const std::size_t at = (first + i) % kSlots;
        seen[at] = head->slots[at].load();
        if (seen[at] > 0 && head->slots[at].compare_exchange_strong(seen[at], kTaken))
          return seen[at];
        all_taken &= seen[at] == kTaken;
      }
      if (!all_taken) {
        if (!kFixed || same(*head, seen)) return std::nullopt;
      } else if (Segment* const next = head->next.load()) {
        head_.compare_exchange_strong(head, next);
      } else {
        return std::nullopt;
      }
    }
  }

 private:
  static constexpr std::size_t kSlots = kFactor + 1;
  static constexpr int kEmpty = 0, kTaken = -1;

  struct Segment {
    std::array<std::atomic<int>, kSlots> slots{};
    std::atomic<Segment*> next{nullptr};
    Segment* made_before = nullptr;
  };

  // No slot returns to an earlier value: if all are unchanged, they held these values at the same
  // time.
  static bool same(const Segment& segment, const std::array<int, kSlots>& seen) {
    for (std::size_t i = 0; i < kSlots; ++i)
      if (segment.slots[i].load() != seen[i]) return false;
    return true;
  }

  NodePool<Segment> pool_;
  std::atomic<Segment*> head_{pool_.make()};
  std::atomic<Segment*> tail_{head_.load()};
};

template <unsigned kFactor>
using SegmentedQueue = BasicSegmentedQueue<kFactor, false>;
template <unsigned kFactor>
using FixedSegmentedQueue = BasicSegmentedQueue<kFactor, true>;

}  // namespace plumb::objects
