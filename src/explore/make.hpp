// SPDX-License-Identifier: MIT
// Strategies by name: a search begins in memory that is given to it (make), and continues in memory
// where one has begun (attach).
#pragma once

#include <memory>
#include <span>
#include <string>

#include "explore/dfs.hpp"
#include "explore/dpor.hpp"
#include "explore/random.hpp"
#include "explore/state.hpp"

namespace plumb::explore {

struct Options {
  Kind kind = Kind::dfs;
  DfsOptions dfs;
  DporOptions dpor;
  RandomOptions random;                    // of random, pct, pos
  std::span<const std::uint8_t> schedule;  // to replay
};

/// Null if the memory does not suffice or is not aligned to 8 bytes; `error` says so.
std::unique_ptr<FlatStrategy> make(const Options& options, std::span<std::byte> memory,
                                   std::string& error);

/// Null if there is no search in this memory, or one of another version; `error` says which.
std::unique_ptr<FlatStrategy> attach(std::span<std::byte> memory, std::string& error);

/// Fills memory with a search that is ready, and that is only in its used() bytes so far.
void load(std::span<const std::byte> used, std::span<std::byte> memory);

/// The head of the search in this memory, for the process that watches; null as above.
const StateHead* peek(std::span<const std::byte> memory, std::string& error);

}  // namespace plumb::explore
