// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

namespace plumb {

/// A hash index over an array that the caller owns: finds the number of an entry by its hash and
/// contents. Open addressing; a slot keeps 32 bits of the hash beside the number, so that it
/// neither looks at the array for most misses nor hashes anything again when it grows.
class FlatIndex {
 public:
  /// Returns the number of the entry with this hash for which `same(number)` holds; where there is
  /// none, enters `next` and returns it.
  template <class Same>
  std::uint32_t find_or_insert(std::uint64_t hash, std::uint32_t next, Same same) {
    const std::uint64_t high = hash & kHashMask;
    std::size_t i = place(high);
    for (; slots_[i] != kEmpty; i = (i + 1) & (slots_.size() - 1)) {
      const auto number = static_cast<std::uint32_t>(slots_[i]);
      if ((slots_[i] & kHashMask) == high && same(number)) return number;
    }
    slots_[i] = high | next;
    if (++size_ * 2 > slots_.size()) grow();
    return next;
  }

  /// Calls visit(number, hash) for all entries, with the 32 bits that are known of each hash: the
  /// upper ones.
  template <class Visit>
  void each(Visit visit) const {
    for (const std::uint64_t slot : slots_)
      if (slot != kEmpty)
        visit(static_cast<std::uint32_t>(slot), static_cast<std::uint32_t>(slot >> 32));
  }

  /// Says that an entry with this hash will be looked for soon.
  void prefetch(std::uint64_t hash) const { __builtin_prefetch(&slots_[place(hash)]); }
  /// The number of the entry that will probably be found; kNone: there is none.
  static constexpr std::uint32_t kNone = 0xffffffffu;
  std::uint32_t guess(std::uint64_t hash) const {
    return static_cast<std::uint32_t>(slots_[place(hash)]);
  }

 private:
  static constexpr std::uint64_t kEmpty = ~std::uint64_t{0};  // its number would be kNone
  static constexpr std::uint64_t kHashMask = std::uint64_t{0xffffffff} << 32;

  std::size_t place(std::uint64_t high) const { return (high >> 32) & (slots_.size() - 1); }

  void grow() {
    std::vector<std::uint64_t> old(slots_.size() * 2, kEmpty);
    old.swap(slots_);
    for (const std::uint64_t slot : old) {
      if (slot == kEmpty) continue;
      std::size_t i = place(slot & kHashMask);
      while (slots_[i] != kEmpty) i = (i + 1) & (slots_.size() - 1);
      slots_[i] = slot;
    }
  }

  std::vector<std::uint64_t> slots_ = std::vector<std::uint64_t>(64, kEmpty);
  std::size_t size_ = 0;
};

}  // namespace plumb
