// SPDX-License-Identifier: MIT
// A relaxed queue: a list of segments of two slots; values enter the last segment and leave the
// first one, in any order within it (Afek, Korland, Yanovsky: Quasi-Linearizability, OPODIS 2010).
// The order in which a `deq` visits the slots is random there; here it is first one way round, then
// the other, so that one thread always sees the same.
//
// The mistake of SegmentedQueue: `deq` says "empty" if it has found nothing to take but a slot that
// nobody had filled. By the time it comes to the last slot somebody may have filled the first one.
// FixedSegmentedQueue looks again, and begins anew if a slot has changed.
//
// Source: Afek et al. as it is commonly implemented.
//
// Verdict: SegmentedQueue is not even a bag. Smallest test: `pre enq(1); deq | enq(2), deq` (one
// preemption): the first deq says empty. FixedSegmentedQueue says "empty" only if it is.
#pragma once

#include <array>
#include <atomic>
#include <optional>

#include "../sets/node_pool.hpp"

namespace plumb::objects {

template <bool kFixed>
class BasicSegmentedQueue {
 public:
  /// Requires: the value is positive.
  void enq(int value) {
    while (true) {
      Segment* tail = tail_.load();
      for (std::atomic<int>& slot : tail->slots) {
        int expected = kEmpty;
        if (slot.compare_exchange_strong(expected, value)) return;
      }
      Segment* next = tail->next.load();
      if (next == nullptr) {
        Segment* const made = pool_.make();
        if (tail->next.compare_exchange_strong(next, made)) next = made;
      }
      tail_.compare_exchange_strong(tail, next);
    }
  }

  std::optional<int> deq() {
    const unsigned first = (deqs_.fetch_add(1) + 1) % kSlots;
    while (true) {
      Segment* head = head_.load();
      std::array<int, kSlots> seen;
      bool all_taken = true;
      for (unsigned i = 0; i < kSlots; ++i) {
        const unsigned at = (first + i) % kSlots;
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
  static constexpr unsigned kSlots = 2;
  static constexpr int kEmpty = 0, kTaken = -1;

  struct Segment {
    std::array<std::atomic<int>, kSlots> slots{};
    std::atomic<Segment*> next{nullptr};
    Segment* made_before = nullptr;
  };

  // No slot returns to what it was: if all are the same, they were at the same time.
  static bool same(const Segment& segment, const std::array<int, kSlots>& seen) {
    for (unsigned i = 0; i < kSlots; ++i)
      if (segment.slots[i].load() != seen[i]) return false;
    return true;
  }

  NodePool<Segment> pool_;
  std::atomic<Segment*> head_{pool_.make()};
  std::atomic<Segment*> tail_{head_.load()};
  std::atomic<unsigned> deqs_{0};
};

using SegmentedQueue = BasicSegmentedQueue<false>;
using FixedSegmentedQueue = BasicSegmentedQueue<true>;

}  // namespace plumb::objects
