// SPDX-License-Identifier: MIT
// Tables that all threads of the search share: rows of words that are numbered as they are met, and
// a map from pairs of numbers to a number.
//
// Each is cut into stripes by hash, and a stripe has a lock of its own. What is reached by its
// number is read without one: it never moves, and a thread that knows a number was given it by a
// thread that wrote the row before.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cassert>
#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <new>
#include <optional>
#include <span>
#include <vector>

#include "base/flat_index.hpp"

namespace plumb::refine {

inline std::uint64_t mix(std::uint64_t x) {  // the finaliser of MurmurHash3
  x = (x ^ (x >> 33)) * 0xff51afd7ed558ccdULL;
  x = (x ^ (x >> 33)) * 0xc4ceb9fe1a85ec53ULL;
  return x ^ (x >> 33);
}

template <class Word>
std::uint64_t hash_row(const Word* row, std::size_t width) {
  std::uint64_t hash = 0x9e3779b97f4a7c15ULL;
  for (std::size_t i = 0; i < width; ++i)
    hash = (std::rotl(hash, 23) ^ row[i]) * 0x9fb21c651e98df25ULL;
  return mix(hash);
}

inline constexpr std::uint32_t kStripes = 64;
inline constexpr std::uint32_t kMostNumbers = 0xffffffffu / kStripes - 1;  // in a stripe

/// Numbers have 32 bits. Memory is used up long before they are; else it is as if it were.
inline void require_number(std::size_t used) {
  if (used >= kMostNumbers) throw std::bad_alloc();
}

/// Rows of `stride` elements that never move; all zero at first. The segments double.
template <class T>
class Segments {
 public:
  explicit Segments(std::size_t stride = 1) : stride_(stride) {}
  Segments(const Segments&) = delete;
  Segments& operator=(const Segments&) = delete;
  ~Segments() {
    for (auto& segment : segments_) std::free(segment.load());
  }

  T* at(std::uint32_t row) const {
    const auto [segment, offset] = place(row);
    return segments_[segment].load(std::memory_order_acquire) + offset * stride_;
  }
  /// Makes the row if it is not there yet. Any number of threads at once.
  T* make(std::uint32_t row) {
    const auto [segment, offset] = place(row);
    if (!segments_[segment].load(std::memory_order_acquire)) {
      // Pages of zeros cost nothing until they are written.
      // NOLINTNEXTLINE(bugprone-sizeof-expression): rows of pointers are meant
      auto* fresh = static_cast<T*>(std::calloc((kFirst << segment) * stride_, sizeof(T)));
      if (!fresh) throw std::bad_alloc();
      T* none = nullptr;
      if (!segments_[segment].compare_exchange_strong(none, fresh)) std::free(fresh);
    }
    return at(row);
  }

 private:
  static constexpr std::size_t kFirst = 1024;
  static std::pair<unsigned, std::size_t> place(std::uint32_t row) {
    const std::size_t i = row + kFirst;
    const auto segment = static_cast<unsigned>(std::bit_width(i) - std::bit_width(kFirst));
    return {segment, i - (kFirst << segment)};
  }

  std::size_t stride_;
  std::array<std::atomic<T*>, 24> segments_{};
};

/// Rows of equal width, each stored once. Numbers are unique, small, and with gaps.
template <class Word>
class Rows {
 public:
  explicit Rows(std::size_t width) : width_(width), words_(width) {}

  /// The number of the row; a new one if it was not there. Requires: it has the width of all rows.
  std::uint32_t number(std::span<const Word> row) {
    assert(row.size() == width_);
    const std::uint64_t hash = hash_row(row.data(), row.size());
    const auto which = static_cast<std::uint32_t>(hash % kStripes);
    Stripe& stripe = stripes_[which];
    const std::lock_guard lock(stripe.mutex);
    require_number(stripe.size);
    const std::uint32_t next = stripe.size * kStripes + which;
    const std::uint32_t found = stripe.index.find_or_insert(hash, next, [&](std::uint32_t n) {
      return std::equal(row.begin(), row.end(), words_.at(n));
    });
    if (found == next) {
      std::copy(row.begin(), row.end(), words_.make(next));
      ++stripe.size;
    }
    return found;
  }
  const Word* operator[](std::uint32_t number) const { return words_.at(number); }
  /// Numbers of a stripe are i * kStripes + stripe, for i below this. Not while a thread enters
  /// rows.
  std::uint32_t size(std::uint32_t stripe) const { return stripes_[stripe].size; }

 private:
  struct alignas(64) Stripe {
    std::mutex mutex;
    FlatIndex index;
    std::uint32_t size = 0;
  };
  std::size_t width_;
  Segments<Word> words_;
  std::array<Stripe, kStripes> stripes_;
};

/// (number, number) -> number, kept forever.
class PairMap {
 public:
  std::optional<std::uint32_t> find(std::uint32_t a, std::uint32_t b) {
    const std::uint64_t key = std::uint64_t{a} << 32 | b, hash = mix(key);
    Stripe& stripe = stripes_[hash % kStripes];
    const std::lock_guard lock(stripe.mutex);
    const std::size_t i = stripe.place(key, hash);
    if (stripe.keys[i] != key) return {};
    return stripe.values[i];
  }
  /// Requires: a and b are not both 2^32 - 1. What was entered before stays.
  void enter(std::uint32_t a, std::uint32_t b, std::uint32_t value) {
    const std::uint64_t key = std::uint64_t{a} << 32 | b, hash = mix(key);
    Stripe& stripe = stripes_[hash % kStripes];
    const std::lock_guard lock(stripe.mutex);
    std::size_t i = stripe.place(key, hash);
    if (stripe.keys[i] == key) return;
    if (++stripe.size * 3 > stripe.keys.size() * 2) {
      stripe.grow();
      i = stripe.place(key, hash);
    }
    stripe.keys[i] = key;
    stripe.values[i] = value;
  }

 private:
  static constexpr std::uint64_t kEmpty = ~std::uint64_t{0};

  struct alignas(64) Stripe {
    std::mutex mutex;
    std::vector<std::uint64_t> keys = std::vector<std::uint64_t>(16, kEmpty);
    std::vector<std::uint32_t> values = std::vector<std::uint32_t>(16);
    std::size_t size = 0;

    /// Where the key is, or would be.
    std::size_t place(std::uint64_t key, std::uint64_t hash) const {
      std::size_t i = (hash / kStripes) & (keys.size() - 1);
      while (keys[i] != key && keys[i] != kEmpty) i = (i + 1) & (keys.size() - 1);
      return i;
    }
    void grow() {
      std::vector<std::uint64_t> old_keys(keys.size() * 2, kEmpty);
      std::vector<std::uint32_t> old_values(old_keys.size());
      old_keys.swap(keys);
      old_values.swap(values);
      for (std::size_t i = 0; i < old_keys.size(); ++i) {
        if (old_keys[i] == kEmpty) continue;
        const std::size_t to = place(old_keys[i], mix(old_keys[i]));
        keys[to] = old_keys[i];
        values[to] = old_values[i];
      }
    }
  };
  std::array<Stripe, kStripes> stripes_;
};

}  // namespace plumb::refine
