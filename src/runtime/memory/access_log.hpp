// SPDX-License-Identifier: MIT
// Records the accesses of an execution, for the test of conflict serializability
// (explore/conflict_graph.hpp).
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "explore/conflict_graph.hpp"

namespace plumb::runtime {

class AccessLog {
 public:
  bool reserve();  // memory; false where the system refuses
  void reset();

  /// `operation`: -1 outside of operations, where every access is a transaction by itself.
  void add(const explore::Accessed& access);

  /// What comes next is what a step says that it does; was() is what its first access turned out to
  /// be.
  void begin_step() { step_ = count_; }
  void was(explore::Touch touch) {
    if (step_ < count_) log_[step_].access.touch = touch;
  }

  std::span<const explore::Accessed> accesses() const { return {log_, count_}; }
  bool is_whole() const { return count_ < kMost; }

 private:
  static constexpr std::size_t kMost = std::size_t{1} << 20;

  struct Current {
    std::int32_t operation = -1;
    std::int32_t transaction = 0;
  };
  explore::Accessed* log_ = nullptr;
  std::size_t count_ = 0;
  std::size_t step_ = 0;
  std::int32_t transactions_ = 0;
  std::array<Current, explore::kMaxThreads> current_{};
};

}  // namespace plumb::runtime
