// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace plumb::runtime {

/// Races that are no findings: by an instruction that has part in them. The watcher, which knows
/// the names in the source, sets the instructions; a search that comes to such a race notes it.
struct SuppressedRaces {
  static constexpr std::size_t kMost = 1024;
  struct Pair {
    const void* first;
    const void* second;
    friend bool operator==(const Pair&, const Pair&) = default;
  };
  std::uint32_t count = 0, seen_count = 0;
  std::array<const void*, kMost> pcs{};
  std::array<Pair, kMost> seen{};

  bool has(const void* pc) const { return std::ranges::find(all(), pc) != all().end(); }
  /// Whether there was room for it.
  bool add(const void* pc) {
    if (has(pc)) return true;
    if (count == kMost) return false;
    pcs[count++] = pc;
    return true;
  }
  void note(const void* a, const void* b) {
    const Pair pair{std::min(a, b), std::max(a, b)};
    const std::span<const Pair> known(seen.data(), seen_count);
    if (seen_count < kMost && std::ranges::find(known, pair) == known.end())
      seen[seen_count++] = pair;
  }
  std::span<const void* const> all() const { return {pcs.data(), count}; }
  void clear() { count = seen_count = 0; }
};

}  // namespace plumb::runtime
