// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "runtime/wire/record.hpp"

namespace plumb::runtime {

/// The history of an execution: calls and returns, in order.
class EventLog {
 public:
  static constexpr int kMost = 4096;
  void reset() { count_ = 0; }
  int count() const { return count_; }
  bool is_full() const { return count_ == kMost; }
  void add(const OperationEvent& event) { events_[static_cast<std::size_t>(count_++)] = event; }
  std::span<const OperationEvent> all() const {
    return {events_.data(), static_cast<std::size_t>(count_)};
  }

 private:
  int count_ = 0;
  std::array<OperationEvent, kMost> events_{};
};

}  // namespace plumb::runtime
