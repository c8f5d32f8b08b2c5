// SPDX-License-Identifier: MIT
// Hash tables of the search: rows of words that are numbered as they are met, and a map from pairs
// of numbers to a number.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "history/flat_index.hpp"

namespace plumb::refine {

inline std::uint64_t mix(std::uint64_t x) {  // the finaliser of MurmurHash3
  x = (x ^ (x >> 33)) * 0xff51afd7ed558ccdULL;
  x = (x ^ (x >> 33)) * 0xc4ceb9fe1a85ec53ULL;
  return x ^ (x >> 33);
}

/// Rows of equal width, each stored once.
template <class Word>
class Rows {
 public:
  explicit Rows(std::size_t width) : width_(width) {}

  /// The number of the row; a new one if it was not there.
  std::uint32_t number(const Word* row) {
    std::uint64_t hash = 0x9e3779b97f4a7c15ULL;
    for (std::size_t i = 0; i < width_; ++i) hash = mix(hash ^ row[i]);
    const std::uint32_t next = size();
    const std::uint32_t found = index_.find_or_insert(
        hash, next, [&](std::uint32_t n) { return std::equal(row, row + width_, (*this)[n]); });
    if (found == next) words_.insert(words_.end(), row, row + width_);
    return found;
  }
  const Word* operator[](std::uint32_t number) const { return words_.data() + number * width_; }
  std::uint32_t size() const { return static_cast<std::uint32_t>(words_.size() / width_); }

 private:
  std::size_t width_;
  std::vector<Word> words_;
  FlatIndex index_;
};

/// (number, number) -> number, remembered for ever.
class PairMap {
 public:
  /// Null: not there. Valid until the next enter().
  const std::uint32_t* find(std::uint32_t a, std::uint32_t b) const {
    const std::uint64_t key = std::uint64_t{a} << 32 | b;
    for (std::size_t i = mix(key) & (keys_.size() - 1); keys_[i] != kEmpty;
         i = (i + 1) & (keys_.size() - 1))
      if (keys_[i] == key) return &values_[i];
    return nullptr;
  }
  /// Requires: it is not there yet, and a and b are not both 2^32 - 1.
  void enter(std::uint32_t a, std::uint32_t b, std::uint32_t value) {
    if (++size_ * 2 > keys_.size()) grow();
    put(std::uint64_t{a} << 32 | b, value);
  }

 private:
  static constexpr std::uint64_t kEmpty = ~std::uint64_t{0};

  void put(std::uint64_t key, std::uint32_t value) {
    std::size_t i = mix(key) & (keys_.size() - 1);
    while (keys_[i] != kEmpty) i = (i + 1) & (keys_.size() - 1);
    keys_[i] = key;
    values_[i] = value;
  }
  void grow() {
    std::vector<std::uint64_t> keys(keys_.size() * 2, kEmpty);
    std::vector<std::uint32_t> values(keys.size());
    keys.swap(keys_);
    values.swap(values_);
    for (std::size_t i = 0; i < keys.size(); ++i)
      if (keys[i] != kEmpty) put(keys[i], values[i]);
  }

  std::vector<std::uint64_t> keys_ = std::vector<std::uint64_t>(64, kEmpty);
  std::vector<std::uint32_t> values_ = std::vector<std::uint32_t>(64);
  std::size_t size_ = 0;
};

}  // namespace plumb::refine
