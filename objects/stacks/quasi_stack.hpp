// SPDX-License-Identifier: MIT
// The relaxed stack of Round-Up (Zhang et al.), Table I: segments of at most k + 1 values; a `push`
// adds to the topmost one, or begins another if that is full, and a `pop` takes any value of the
// topmost one. So at most k values are above the one that is popped, and at most k from below
// overtake a value.
//
// A `pop` first draws a value, then takes it. If somebody else was faster, it draws again. The
// mistakes are two ways of not doing so:
//   QuasiStackB1  says "empty", though it is not;
//   QuasiStackB2  takes the value at the same place one segment below: more than k away from the
//   top.
//
// Source: Round-Up, Table I, which says what b1 and b2 do, and not why: that they lose a value to
// somebody else is a guess. (All histories of b1 are wrong in Table III, so theirs needs no second
// thread; ours does.) The stack that the table calls right is linearizable; we take it for this one
// with k = 0, which is a guess as well.
//
// Verdict: QuasiStack is k-quasi linearizable, and linearizable with k = 0. The others are not
// quasi linearizable; used by one thread they are. Smallest tests (one preemption):
// B1, any k: `pre push(1), push(2); pop | pop`: one of them finds nothing.
// B2, k = 1: `pre push(1), push(2), push(3), push(4); pop | pop; post pop, pop`: 1 before 2 and 4.
// With k = 0 the value one below is the right one, and it is linearizable.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "../random_index.hpp"

namespace plumb::objects {

/// What a `pop` does that has lost its value.
enum class LostValue { draw_again, say_empty, same_of_segment_below };

template <unsigned kFactor, LostValue kLost>
class BasicQuasiStack {
 public:
  void push(int value) {
    const std::lock_guard lock(mutex_);
    tidy();
    if (segments_.empty() || segments_.back().size() > kFactor) segments_.emplace_back();
    segments_.back().push_back(std::make_shared<Node>(value));
  }

  /// Returns: nothing if it is empty.
  std::optional<int> pop() {
    while (true) {
      const Drawn drawn = draw();
      if (drawn.node == nullptr) return std::nullopt;
      if (!drawn.node->taken.exchange(true)) return drawn.node->value;
      if constexpr (kLost == LostValue::say_empty) return std::nullopt;
      if constexpr (kLost == LostValue::same_of_segment_below)
        if (drawn.below != nullptr && !drawn.below->taken.exchange(true)) return drawn.below->value;
    }
  }

 private:
  struct Node {
    explicit Node(int v) : value(v) {}
    const int value;
    std::atomic<bool> taken{false};
  };
  using Segment = std::vector<std::shared_ptr<Node>>;
  struct Drawn {
    std::shared_ptr<Node> node, below;
  };

  Drawn draw() {
    const std::lock_guard lock(mutex_);
    tidy();
    if (segments_.empty()) return {};
    const Segment& top = segments_.back();
    const std::size_t place = random_index(top.size());
    if (segments_.size() == 1) return {top[place], nullptr};
    const Segment& below = segments_[segments_.size() - 2];
    return {top[place], below[std::min(place, below.size() - 1)]};
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
using QuasiStack = BasicQuasiStack<kFactor, LostValue::draw_again>;
template <unsigned kFactor>
using QuasiStackB1 = BasicQuasiStack<kFactor, LostValue::say_empty>;
template <unsigned kFactor>
using QuasiStackB2 = BasicQuasiStack<kFactor, LostValue::same_of_segment_below>;

}  // namespace plumb::objects
