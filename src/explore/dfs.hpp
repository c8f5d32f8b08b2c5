// SPDX-License-Identifier: MIT
// Depth-first search over all schedules, or over those with few preemptions. dfs.cpp says how.
#pragma once

#include <string>

#include "explore/state.hpp"

namespace plumb::explore {

inline constexpr std::uint32_t kUnbounded = ~std::uint32_t{0};

struct DfsOptions {
  /// Bounds on preemptions, one search each, in increasing order. Equal: one search of every
  /// execution with at most so many.
  std::uint32_t first_bound = kUnbounded;
  std::uint32_t last_bound = kUnbounded;
  std::uint32_t depth = 1 << 16;  // choices in an execution
};

struct DfsHead : StateHead {
  std::uint32_t depth = 0;   // choices of the prefix that is to be followed, or was recorded
  std::uint32_t follow = 0;  // the same; 0 once the execution was stopped
  std::uint32_t spent = 0;   // preemptions in it; what comes after it costs none
  std::uint32_t bound = kUnbounded;
  std::uint32_t first_bound = kUnbounded;
  std::uint32_t last_bound = kUnbounded;
  std::uint32_t cut = 0;     // 1 + the last bound that kept something from being explored
  std::uint32_t shared = 0;  // part of the search was given away, or this is such a part

  /// Executions by preemptions, each once; the last one counts all with more.
  static constexpr std::uint32_t kCounted = 32;
  std::uint64_t by_preemptions[kCounted] = {};
  std::uint64_t repeated = 0;  // executions that a smaller bound had shown already
};

class Dfs final : public FlatStrategy {
 public:
  /// Begins a search. The memory is aligned to 8 bytes and holds at least room(options, 1).
  Dfs(const DfsOptions& options, std::span<std::byte> memory);
  /// Continues with the one that is there (attach() in make.hpp checks that).
  explicit Dfs(std::span<std::byte> memory);
  static std::size_t room(const DfsOptions& options, std::size_t depth);

  int choose(const Point& point) override;
  int choose_value(int count, int cost) override;
  void taken(const Step&) override {}
  void ended(std::uint32_t waiting, std::span<const Step> next) override;
  bool advance() override;
  bool rewind() override;
  std::span<const std::byte> used() const override;

  const DfsHead& dfs() const { return *head_; }
  /// The execution that is prepared, or runs, was shown by a smaller bound.
  bool repeated() const { return head_->bound > head_->first_bound && head_->spent < head_->bound; }

  /// About half of the alternatives at the shallowest choice that has any. What is counted in the
  /// other memory already stays, so a worker can be given parts again and again. From then on,
  /// bounds do not increase by themselves: when all parts are exhausted, and one of them has cut >
  /// bound, one of them restarts with the next bound.
  bool split(std::span<std::byte> other) override;
  void restart(std::uint32_t bound);
  /// Of all parts.
  void note_cut(std::uint32_t cut) { head_->cut = cut; }

 private:
  struct Node;
  int push(const Point& point);
  int push_value(int count, int cost);
  bool exhausted();

  DfsHead* head_;
  Node* nodes_;
  std::uint32_t limit_;  // choices that fit
};

}  // namespace plumb::explore
