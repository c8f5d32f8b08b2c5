// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace plumb::runtime {

/// Instructions at which plain accesses are scheduling points, because they were seen to race.
class Sites {
 public:
  bool contains(const void* pc) const {
    for (std::size_t i = place(pc);; ++i) {
      const void* const there = sites_[i % kMost];
      if (there == pc) return true;
      if (there == nullptr) return false;
    }
  }
  /// Whether it is new.
  bool add(const void* pc) {
    if (pc == nullptr || contains(pc) || count_ == kMost / 2) return false;
    std::size_t i = place(pc);
    while (sites_[i % kMost] != nullptr) ++i;
    sites_[i % kMost] = pc;
    ++count_;
    return true;
  }
  template <class F>
  void for_each(F f) const {
    for (const void* pc : sites_) {
      if (pc != nullptr) f(pc);
    }
  }

 private:
  static constexpr std::size_t kMost = 4096;
  static std::size_t place(const void* pc) {
    return (reinterpret_cast<std::uintptr_t>(pc) * 0x9e3779b97f4a7c15) >> 52;
  }
  std::array<const void*, kMost> sites_{};
  std::size_t count_ = 0;
};

}  // namespace plumb::runtime
