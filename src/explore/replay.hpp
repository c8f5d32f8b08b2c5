// SPDX-License-Identifier: MIT
// One execution under a given schedule; what comes after its last choice runs without preemptions.
// A choice that is impossible, and choices that are left when the execution ends, are a divergence.
#pragma once

#include "explore/state.hpp"

namespace plumb::explore {

struct ReplayHead : StateHead {
  std::uint32_t given = 0;  // choices of the schedule; they lie after the head
};

class Replay final : public FlatStrategy {
 public:
  /// The memory is aligned to 8 bytes and holds at least room(schedule, 0).
  Replay(std::span<const std::uint8_t> schedule, std::span<std::byte> memory);
  explicit Replay(std::span<std::byte> memory);
  static std::size_t room(std::span<const std::uint8_t> schedule, std::size_t more);

  int choose(const Point& point) override;
  int choose_value(int count, int cost) override;
  void taken(const Step&) override {}
  void ended(std::uint32_t waiting, std::span<const Step> next) override;
  bool advance() override;
  bool rewind() override { return reopen(); }
  std::span<const std::byte> used() const override;

 private:
  int record(int choice);

  ReplayHead* head_;
  const std::uint8_t* given_;
};

}  // namespace plumb::explore
