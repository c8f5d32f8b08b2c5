// SPDX-License-Identifier: MIT
// Races by their definition: a step is compared with every step before it. This is what
// src/explore/dpor_races.cpp has to find, in a time that does not depend on how many there are.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "explore/dpor_stack.hpp"

namespace plumb::explore {

class PlainRaces {
 public:
  /// Of a copy of a search from before Dpor::taken(), or Dpor::ended(): what that should do.
  explicit PlainRaces(Dpor& dpor) : dpor_(dpor), head_(*dpor.head_) {}
  void taken(const Dpor& after);
  /// The step that is taken is new, so that its races are looked for.
  static bool is_new(const Dpor& dpor) { return dpor.head_->running == dpor.head_->last_action; }
  void ended(std::uint32_t waiting, std::span<const Step> next);

  /// Are the actions of the execution so far ordered alike, and the same ones to be explored?
  bool is_as(const Dpor& other) const;
  std::string describe() const;
  /// Races that have been looked at again, because of a later step.
  int late() const { return late_; }
  int reversed() const { return reversed_; }

 private:
  using Action = Dpor::Action;
  using Clock = Dpor::Clock;
  using Second = Dpor::Second;

  Clock races(const Second& second, bool& conflicts);
  void late_races(std::uint64_t last);
  void reverse(std::uint64_t first, const Second& second, Clock past);
  Action& action(std::uint64_t offset) const { return dpor_.action(offset); }

  Dpor& dpor_;
  DporHead& head_;
  int late_ = 0, reversed_ = 0;
};

}  // namespace plumb::explore
