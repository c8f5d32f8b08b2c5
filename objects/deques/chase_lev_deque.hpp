// SPDX-License-Identifier: MIT
// The deque of Chase & Lev (SPAA 2005) in a ring of two slots: its owner pushes and takes at the
// bottom, other threads steal at the top, by compare-and-swap.
//
// The mistake of ChaseLevDeque: `steal` reads the slot after it has moved the top. From then on the
// slot may be reused: the owner pushes, and the new value is stolen but stays in the deque.
// FixedChaseLevDeque reads first; if the slot was reused since, the compare-and-swap fails.
//
// Source: ssbl/concurrent-deque #2.
//
// Verdict: ChaseLevDeque is not linearizable, FixedChaseLevDeque is. Smallest test:
// `pre push(1), push(2); push(3) | steal` (one preemption): steal returns 3.
#pragma once

#include <array>
#include <atomic>
#include <optional>

namespace plumb::objects {

template <bool kFixed>
class BasicChaseLevDeque {
 public:
  /// For the owner only. Returns: false if it is full.
  bool push(int value) {
    const int bottom = bottom_.load();
    if (bottom - top_.load() == kSlots) return false;
    slot(bottom) = value;
    bottom_ = bottom + 1;
    return true;
  }

  /// For the owner only: the value pushed last. Returns: nothing if it is empty.
  std::optional<int> take() {
    const int bottom = --bottom_;
    int top = top_.load();
    if (top < bottom) return slot(bottom).load();
    std::optional<int> value;
    if (top == bottom && top_.compare_exchange_strong(top, top + 1)) value = slot(bottom).load();
    bottom_ = bottom + 1;
    return value;
  }

  /// The value pushed first.
  std::optional<int> steal() {
    while (true) {
      int top = top_.load();
      if (top >= bottom_.load()) return std::nullopt;
      const int value = slot(top).load();
      if (top_.compare_exchange_strong(top, top + 1)) return kFixed ? value : slot(top).load();
    }
  }

 private:
  static constexpr int kSlots = 2;

  std::atomic<int>& slot(int index) { return slots_[static_cast<unsigned>(index) % kSlots]; }

  std::atomic<int> top_{0}, bottom_{0};
  std::array<std::atomic<int>, kSlots> slots_{};
};

using ChaseLevDeque = BasicChaseLevDeque<false>;
using FixedChaseLevDeque = BasicChaseLevDeque<true>;

}  // namespace plumb::objects
