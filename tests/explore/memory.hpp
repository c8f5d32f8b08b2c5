// SPDX-License-Identifier: MIT
// Memory for a strategy, and a strategy in it.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "explore/make.hpp"
#include "support/draws.hpp"

namespace plumb::explore::test {

class Memory {
 public:
  explicit Memory(std::size_t bytes = 1 << 20) : words_(bytes / 8) {}
  std::span<std::byte> bytes() { return std::as_writable_bytes(std::span(words_)); }
  // As after a copy to a file and back, in memory elsewhere.
  void load(std::span<const std::byte> checkpoint) {
    std::memcpy(words_.data(), checkpoint.data(), checkpoint.size());
  }

 private:
  std::vector<std::uint64_t> words_;
};

inline std::unique_ptr<FlatStrategy> make(const Options& options, Memory& memory) {
  std::string error;
  auto strategy = explore::make(options, memory.bytes(), error);
  EXPECT_TRUE(strategy) << error;
  return strategy;
}

inline std::unique_ptr<FlatStrategy> attach(Memory& memory) {
  std::string error;
  auto strategy = explore::attach(memory.bytes(), error);
  EXPECT_TRUE(strategy) << error;
  return strategy;
}

using plumb::test::Draws;
using plumb::test::number_from;
using plumb::test::seed_of;

// How many random programs: PLUMB_PROGRAMS_N, or less.
inline std::uint64_t programs(std::uint64_t usual) {
  return number_from("PLUMB_PROGRAMS_N", usual);
}

}  // namespace plumb::explore::test
