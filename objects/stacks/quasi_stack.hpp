// SPDX-License-Identifier: MIT
// The relaxed stack of Round-Up (Zhang et al.), Table I: segments of at most k + 1 values; a `push`
// adds to the topmost one, or begins another if that is full, and a `pop` takes any value of the
// topmost one. So at most k values are above the one that is popped, and at most k from below
// overtake a value.
//
// A `pop` first draws a value, then takes it. If another thread was faster, it draws again. The
// mistakes:
//   QuasiStackB1  if another thread was faster, it returns "empty", although it is not;
//   QuasiStackB2  a segment has one slot too many, so that a value can be more than k away from the
//   top.
//
// Source: Round-Up, Table I, which says what b1 and b2 do, but not why. That b1 loses a value to
// another thread is a guess. (All histories of b1 are wrong in Table III, so theirs needs no second
// thread; ours does.) That b2 differs in a constant is another guess. In favour of it: b2 has as
// many lines and as many histories as the correct one. The stack that the table calls right is
// linearizable; we assume that it is this one with k = 0, which is also a guess.
//
// Verdict: QuasiStack is k-quasi linearizable, and linearizable with k = 0. The others are not
// quasi linearizable; B1 is if one thread uses it. Smallest tests:
// B1, any k: `pre push(1), push(2); pop | pop` (one preemption): one of them finds nothing.
// B2, k = 0: `push(1), push(2), pop` (no preemption): 1. k = 1: `push(1), push(2), push(3),
// pop`: 1.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "../random_index.hpp"

namespace plumb::objects {

/// What a `pop` does after it has lost its value.
enum class LostValue { draw_again, say_empty };

template <unsigned kSlots, LostValue kLost>
class BasicQuasiStack {
 public:
  void push(int value) {
    const std::lock_guard lock(mutex_);
    tidy();
    if (segments_.empty() || segments_.back().size() == kSlots) segments_.emplace_back();
    segments_.back().push_back(std::make_shared<Node>(value));
  }

  /// Returns: nothing if it is empty.
  std::optional<int> pop() {
    while (true) {
      const std::shared_ptr<Node> drawn = draw();
      if (drawn == nullptr) return std::nullopt;
      if (!drawn->taken.exchange(true)) return drawn->value;
      if constexpr (kLost == LostValue::say_empty) return std::nullopt;
    }
  }

 private:
  struct Node {
    explicit Node(int v) : value(v) {}
    const int value;
    std::atomic<bool> taken{false};
  };
  using Segment = std::vector<std::shared_ptr<Node>>;

  /// Returns: a value of the topmost segment that was not taken when it was read, or null if there
  /// is none.
  std::shared_ptr<Node> draw() {
    const std::lock_guard lock(mutex_);
    tidy();
    if (segments_.empty()) return nullptr;
    const Segment& top = segments_.back();
    return top[random_index(top.size())];
  }

  /// Until there is a value to take at the top.
  void tidy() {
    while (!segments_.empty()) {
      std::erase_if(segments_.back(), [](const auto& node) { return node->taken.load(); });
      if (!segments_.back().empty()) return;
      segments_.pop_back();
    }
  }

  std::mutex mutex_;
  std::vector<Segment> segments_;
};

template <unsigned kFactor>
using QuasiStack = BasicQuasiStack<kFactor + 1, LostValue::draw_again>;
template <unsigned kFactor>
using QuasiStackB1 = BasicQuasiStack<kFactor + 1, LostValue::say_empty>;
template <unsigned kFactor>
using QuasiStackB2 = BasicQuasiStack<kFactor + 2, LostValue::draw_again>;

}  // namespace plumb::objects
