// SPDX-License-Identifier: MIT
// What rules of collections are made of: sets of gaps, cores that cover them, and orders out of
// gaps.
#pragma once

#include "check/monitors/collection.hpp"

namespace plumb {

/// A set of gaps that grows: which is the first one that is not in it? Nearly constant time.
class Gaps {
 public:
  explicit Gaps(std::uint32_t last) : words_(last / 64 + 2), next_(last / 64 + 2) {
    for (std::uint32_t w = 0; w < next_.size(); ++w) next_[w] = w;
  }
  void cover(std::uint32_t first, std::uint32_t last);
  /// From `first` on; beyond the last one if there is none.
  std::uint32_t first_open(std::uint32_t first) {
    const std::uint64_t bits = ~words_[first / 64] & ~std::uint64_t{0} << first % 64;
    if (bits) return first / 64 * 64 + static_cast<std::uint32_t>(__builtin_ctzll(bits));
    const std::uint32_t w = find(first / 64 + 1);
    return w * 64 + static_cast<std::uint32_t>(__builtin_ctzll(~words_[w]));
  }

 private:
  std::uint32_t find(std::uint32_t w) {  // the first word from w on that is not full
    while (next_[w] != w) w = next_[w] = next_[next_[w]];
    return w;
  }
  void put(std::uint32_t w, std::uint64_t bits) {
    words_[w] |= bits;
    if (words_[w] == ~std::uint64_t{0}) next_[w] = w + 1;
  }
  std::vector<std::uint64_t> words_;  // one bit a gap; the last word is never full
  std::vector<std::uint32_t> next_;
};

/// The gaps in which some element is certainly inside.
Gaps cores_of(const Collection& collection);

/// An operation that found nothing although cores cover all its gaps: the first to return.
std::optional<Conflict> find_covered_empty(const Collection& collection);

/// Few elements, of those that `among` allows, whose cores cover the gaps first .. last.
/// Requires: they can.
std::vector<std::uint32_t> cover_with_cores(const Collection& collection, std::uint32_t first,
                                            std::uint32_t last,
                                            const std::vector<bool>* among = nullptr);

/// For each moment before the end, the element with this moment as its `what`; kNone: none.
std::vector<std::uint32_t> by_moment(const Collection& collection, std::uint32_t Element::*what);

/// Makes an order out of gaps: the i-th of `elements` comes in gap in[i] and leaves in gap out[i]
/// (after the end: it stays), an empty removal is in the first gap from its call on that is not in
/// `covered`. In each gap first those leave that leave, in the order of `elements`, having come at
/// the last moment if it is the same gap; then come the empty removals, then the others.
std::vector<OperationId> weave(const Collection& collection,
                               const std::vector<std::uint32_t>& elements,
                               const std::vector<std::uint32_t>& in,
                               const std::vector<std::uint32_t>& out, Gaps& covered);

}  // namespace plumb
