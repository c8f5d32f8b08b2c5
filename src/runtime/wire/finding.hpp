// SPDX-License-Identifier: MIT
// What is wrong with an execution, and the schedule that leads there.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/finding_kind.hpp"

namespace plumb::runtime {

using plumb::FindingKind;  // hooks are outside of all namespaces

/// Where a thread was: the instruction and the calls that led there, innermost first.
struct Place {
  static constexpr int kMost = 24;
  int thread = -1;
  int depth = 0;
  std::array<const void*, kMost> pc{};
};

struct Finding {
  FindingKind kind = FindingKind::none;
  char text[256] = {};
  const void* address = nullptr;
  std::uint32_t size = 0;
  int signal = 0;  // of a crash; 0: it has none
  Place here;
  Place there;  // the other access of a race, the free before a use; thread -1 if there is none

  /// Cuts off what does not fit.
  void set_text(const char* from) {
    std::size_t i = 0;
    for (; i + 1 < sizeof text && from[i] != 0; ++i) text[i] = from[i];
    text[i] = 0;
  }
};

/// A finding with its schedule.
struct KeptFinding {
  static constexpr std::size_t kChoices = 1 << 14;
  Finding finding;
  std::uint32_t choices = 0;
  bool too_long = false;
  std::array<std::uint8_t, kChoices> schedule;
  void keep(std::span<const std::uint8_t> all);
};

/// The different findings of a search.
struct FindingList {
  static constexpr std::size_t kMost = 64;
  std::uint32_t count = 0;
  std::array<KeptFinding, kMost> all;

  /// Keeps it unless one of the same kind at the same place is there.
  void add(const Finding& finding, std::span<const std::uint8_t> schedule);
  /// In either order; also if there is no room for more.
  bool knows_race(const void* here, const void* there) const;
  void clear() { count = 0; }
  std::span<const KeptFinding> kept() const { return {all.data(), count}; }
};

}  // namespace plumb::runtime
