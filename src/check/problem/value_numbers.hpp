// SPDX-License-Identifier: MIT
// Values, numbered from 0 as they are met: a flat hash table, because a million of them are.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "plumb/history.hpp"
#include "plumb/value.hpp"

namespace plumb {

class ValueNumbers {
 public:
  explicit ValueNumbers(std::size_t expected = 0) {
    std::size_t size = 16;
    while (size < 2 * expected) size *= 2;
    slots_.assign(size, kNone);
    values_.reserve(expected);
  }

  /// The number of the value; a new one if it was not met before.
  std::uint32_t number(Value v) {
    std::uint32_t& slot = slots_[find_slot(v)];
    if (slot != kNone) return slot;
    const auto fresh = static_cast<std::uint32_t>(values_.size());
    slot = fresh;
    values_.push_back(v);
    if (2 * values_.size() > slots_.size()) grow();
    return fresh;
  }
  /// kNone: it was not met.
  std::uint32_t find(Value v) const { return slots_[find_slot(v)]; }

  std::size_t size() const { return values_.size(); }
  Value operator[](std::uint32_t number) const { return values_[number]; }
  const std::vector<Value>& values() const& { return values_; }
  std::vector<Value> values() && { return std::move(values_); }
  std::size_t bytes() const {
    return slots_.capacity() * sizeof slots_[0] + values_.capacity() * sizeof values_[0];
  }

 private:
  std::size_t find_slot(Value v) const {
    std::size_t i = v.hash() & (slots_.size() - 1);
    while (slots_[i] != kNone && values_[slots_[i]] != v) i = (i + 1) & (slots_.size() - 1);
    return i;
  }
  void grow() {
    slots_.assign(slots_.size() * 2, kNone);
    for (std::uint32_t i = 0; i < values_.size(); ++i) slots_[find_slot(values_[i])] = i;
  }

  std::vector<std::uint32_t> slots_;
  std::vector<Value> values_;
};

}  // namespace plumb
