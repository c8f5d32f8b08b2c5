// SPDX-License-Identifier: MIT
// Strategies that draw: uniform, PCT, POS. random.cpp says how.
#pragma once

#include "explore/state.hpp"

namespace plumb::explore {

/// Run i of seed s is the same whenever, and by whomever, it is run.
struct RandomOptions {
  std::uint64_t seed = 1;
  std::uint64_t first = 0;                 // run
  std::uint64_t runs = ~std::uint64_t{0};  // how many
  /// Uniform: how often, in percent, the current thread continues without a draw.
  std::uint32_t stay = 0;
  /// PCT: d - 1, for bugs of depth d.
  std::uint32_t changes = 2;
  /// PCT: choices in an execution. 0: a fourth more than in run 0, which is then run first in any
  /// case.
  std::uint32_t length = 0;
};

struct RandomHead : StateHead {
  RandomOptions options;
  std::uint64_t run = 0;   // that is prepared, or runs
  std::uint64_t left = 0;  // runs after it
  std::uint32_t length = 0;
  std::uint32_t measures = 0;  // this is run 0, for its length only

  /// Of this run:
  std::uint64_t overflows_before = 0;
  std::uint64_t generator = 0;
  static constexpr std::uint32_t kMostChanges = 32;
  std::uint32_t changes_at[kMostChanges] = {};
  std::int64_t priority[2 * kMaxThreads] = {};  // by action
  std::uint64_t drawn = 0;                      // actions that have one
  std::int64_t lowest = 0;
  std::int32_t last = -1;       // action
  std::uint32_t has_moved = 0;  // and what it did:
  Step moved;
};

class Random final : public FlatStrategy {
 public:
  /// The kind is random, pct or pos. The memory is aligned to 8 bytes and holds more than a head.
  Random(Kind kind, const RandomOptions& options, std::span<std::byte> memory);
  explicit Random(std::span<std::byte> memory);

  int choose(const Point& point) override;
  int choose_value(int count, int cost) override;
  void taken(const Step& step) override;
  void ended(std::uint32_t waiting, std::span<const Step> next) override;
  bool advance() override;
  bool rewind() override;
  std::span<const std::byte> used() const override;
  /// What comes after the next kMostKept runs.
  static constexpr std::uint64_t kMostKept = 1000;
  bool split(std::span<std::byte> other) override;

  const RandomHead& random() const { return *head_; }

 private:
  std::uint64_t draw();
  std::uint32_t below(std::uint64_t n);
  void begin();
  int uniform(const Point& point);
  int pct(const Point& point);
  int pos(const Point& point);
  void draw_priorities(std::uint64_t actions);
  int highest(std::uint64_t actions) const;

  RandomHead* head_;
};

}  // namespace plumb::explore
