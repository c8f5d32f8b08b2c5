// SPDX-License-Identifier: MIT
// A scalable non-zero indicator: counts arrivals and departures, and reports whether the count is
// zero, but not its value (Ellen, Lev, Luchangco, Moir: SNZI, PODC 2007, the first algorithm). A
// tree of two nodes: a leaf, where threads arrive, and a root.
//
// Only the first to arrive at the leaf also arrives at the root, and the last to depart departs
// from it. The first sets the leaf's count to one half, arrives at the root, and then sets it to
// one. A thread that finds one half helps: it also arrives at the root, and departs from it again
// if that was not needed. So a thread that finds one or more knows that a thread has arrived at the
// root. At the root the first sets the indicator; until it has done so, a bit in the word asks
// every arriving thread to set it.
//
// Two mistakes. WholeSnzi has no one half: the second to arrive finds one, and returns before the
// first has arrived at the root. In HastySnzi only the first at the root sets the indicator: the
// second returns before it is set.
//
// Source: as above.
//
// Verdict: Snzi is linearizable, the others are not. Smallest test: `arrive | arrive, query` (one
// preemption): false.
#pragma once

#include <atomic>
#include <cstdint>
#include <stdexcept>

namespace plumb::objects {

enum class SnziMistake { none, no_half, announces_once };

template <SnziMistake kMistake>
class BasicSnzi {
 public:
  void arrive() {
    int unneeded = 0;
    bool arrived = false;
    while (!arrived) {
      Leaf leaf = leaf_.load();
      if (leaf.halves >= kOne) {
        arrived = leaf_.compare_exchange_strong(leaf, {leaf.halves + kOne, leaf.version});
        continue;
      }
      if (leaf.halves == 0) {
        const Leaf begun = {kMistake == SnziMistake::no_half ? kOne : kHalf, leaf.version + 1};
        if (!leaf_.compare_exchange_strong(leaf, begun)) continue;
        leaf = begun;
        arrived = true;
      }
      arrive_at_root();
      if (kMistake == SnziMistake::no_half) continue;
      if (!leaf_.compare_exchange_strong(leaf, {kOne, leaf.version})) ++unneeded;
    }
    while (unneeded-- > 0) depart_from_root();
  }

  /// Throws: std::logic_error if the count is zero.
  void depart() {
    Leaf leaf = leaf_.load();
    do {
      if (leaf.halves < kOne) throw std::logic_error("nobody is there");
    } while (!leaf_.compare_exchange_strong(leaf, {leaf.halves - kOne, leaf.version}));
    if (leaf.halves == kOne) depart_from_root();
  }

  bool query() const { return indicator_.load().set != 0; }

 private:
  static constexpr std::uint32_t kHalf = 1, kOne = 2;

  struct alignas(8) Leaf {
    std::uint32_t halves = 0, version = 0;
  };
  struct alignas(8) Root {
    std::uint16_t count = 0, announces = 0;
    std::uint32_t version = 0;
  };
  struct alignas(8) Indicator {
    std::uint32_t set = 0;
    std::uint32_t writes = 0;  // makes the compare-and-swap a store-conditional
  };

  void arrive_at_root() {
    Root before = root_.load();
    Root after;
    do {
      if (before.count == 0) after = {1, 1, before.version + 1};
      else after = {static_cast<std::uint16_t>(before.count + 1), before.announces, before.version};
    } while (!root_.compare_exchange_strong(before, after));
    if (after.announces == 0) return;
    if (kMistake == SnziMistake::announces_once && before.count != 0) return;
    Indicator indicator = indicator_.load();
    while (!indicator_.compare_exchange_strong(indicator, {1, indicator.writes + 1})) {}
    root_.compare_exchange_strong(after, {after.count, 0, after.version});
  }

  void depart_from_root() {
    Root root = root_.load();
    while (!root_.compare_exchange_strong(
        root, {static_cast<std::uint16_t>(root.count - 1), 0, root.version})) {}
    if (root.count >= 2) return;
    while (true) {
      Indicator indicator = indicator_.load();
      if (root_.load().version != root.version) return;  // a thread has arrived since
      if (indicator_.compare_exchange_strong(indicator, {0, indicator.writes + 1})) return;
    }
  }

  std::atomic<Leaf> leaf_{Leaf{}};
  std::atomic<Root> root_{Root{}};
  std::atomic<Indicator> indicator_{Indicator{}};
};

using Snzi = BasicSnzi<SnziMistake::none>;
using WholeSnzi = BasicSnzi<SnziMistake::no_half>;
using HastySnzi = BasicSnzi<SnziMistake::announces_once>;

}  // namespace plumb::objects
