// SPDX-License-Identifier: MIT
// What an execution of a test did: calls and returns, in the order in which they happened
// (Line-Up, section 2.1.1). Operations are cells of the test, results are numbers that stand for
// their text.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/reuse.hpp"

namespace plumb::lineup {

using ResultId = std::uint32_t;

/// Results are equal if their texts are. Several threads may use it at once.
class Results {
 public:
  Results() = default;
  Results(Results&& other) noexcept
      : numbers_(std::move(other.numbers_)), texts_(std::move(other.texts_)) {}

  ResultId number(std::string_view text) {
    const std::lock_guard lock(mutex_);
    const auto found = numbers_.find(text);
    if (found != numbers_.end()) return found->second;
    texts_.emplace_back(text);
    return numbers_.emplace(text, static_cast<ResultId>(texts_.size() - 1)).first->second;
  }
  const std::string& text(ResultId number) const {
    const std::lock_guard lock(mutex_);
    return texts_[number];
  }
  std::optional<ResultId> find(std::string_view text) const {
    const std::lock_guard lock(mutex_);
    const auto found = numbers_.find(text);
    if (found == numbers_.end()) return std::nullopt;
    return found->second;
  }

 private:
  std::map<std::string, ResultId, std::less<>> numbers_;
  std::deque<std::string> texts_;  // which stay where they are
  mutable std::mutex mutex_;
};

struct ObservedEvent {
  int operation;  // a cell of the test
  bool is_return;
  ResultId result = 0;  // of a return
  friend bool operator==(const ObservedEvent&, const ObservedEvent&) = default;
};

/// Stuck: the operations that were called and have not returned never will (section 2.3).
struct ObservedHistory {
  std::vector<ObservedEvent> events;
  bool stuck = false;
  std::vector<std::uint8_t> schedule;      // that leads to it
  Reuse heap = Reuse::never;               // ... with freed memory used again like this
  std::vector<std::uint64_t> points = {};  // ... and switches at these plain accesses as well
};

}  // namespace plumb::lineup
