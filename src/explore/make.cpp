// SPDX-License-Identifier: MIT
#include "explore/make.hpp"

#include <algorithm>

#include "explore/replay.hpp"

namespace plumb::explore {

namespace {

bool enough(std::span<std::byte> memory, std::size_t least, std::string& error) {
  if (memory.size() >= least) return true;
  error = "a strategy needs " + std::to_string(least) + " bytes of memory, and there are " +
          std::to_string(memory.size());
  return false;
}

template <class S, class O>
std::unique_ptr<FlatStrategy> made(const O& options, std::span<std::byte> memory, std::size_t least,
                                   std::string& error) {
  if (!enough(memory, least, error)) return nullptr;
  return std::make_unique<S>(options, memory);
}

bool aligned_for_state(const std::byte* memory) {
  return reinterpret_cast<std::uintptr_t>(memory) % 8 == 0;
}

}  // namespace

std::unique_ptr<FlatStrategy> make(const Options& options, std::span<std::byte> memory,
                                   std::string& error) {
  if (!aligned_for_state(memory.data())) {
    error = "the memory of a strategy must be aligned to 8 bytes";
    return nullptr;
  }
  switch (options.kind) {
    case Kind::dfs: return made<Dfs>(options.dfs, memory, Dfs::room(options.dfs, 1), error);
    case Kind::replay:
      return made<Replay>(options.schedule, memory, Replay::room(options.schedule, 0), error);
    case Kind::dpor: return made<Dpor>(options.dpor, memory, Dpor::room(options.dpor), error);
    case Kind::random:
    case Kind::pct:
    case Kind::pos:
      if (!enough(memory, sizeof(RandomHead) + 1, error)) return nullptr;
      return std::make_unique<Random>(options.kind, options.random, memory);
  }
  error = "unknown strategy";
  return nullptr;
}

void load(std::span<const std::byte> used, std::span<std::byte> memory) {
  std::ranges::copy(used, memory.begin());
  if (reinterpret_cast<const StateHead*>(memory.data())->kind == Kind::dpor)
    Dpor(memory).begin_elsewhere();
}

const StateHead* peek(std::span<const std::byte> memory, std::string& error) {
  const auto* head = reinterpret_cast<const StateHead*>(memory.data());
  if (!aligned_for_state(memory.data()) || memory.size() < sizeof(StateHead) ||
      head->magic != kStateMagic) {
    error = "there is no search in this memory";
    return nullptr;
  }
  if (head->version != kStateVersion) {
    error = "the search in this memory is of version " + std::to_string(head->version) +
            ", this program continues version " + std::to_string(kStateVersion) + " only";
    return nullptr;
  }
  return head;
}

std::unique_ptr<FlatStrategy> attach(std::span<std::byte> memory, std::string& error) {
  const StateHead* head = peek(memory, error);
  if (!head) return nullptr;
  switch (head->kind) {
    case Kind::dfs: return std::make_unique<Dfs>(memory);
    case Kind::replay: return std::make_unique<Replay>(memory);
    case Kind::dpor: return std::make_unique<Dpor>(memory);
    case Kind::random:
    case Kind::pct:
    case Kind::pos: return std::make_unique<Random>(memory);
  }
  error = "the search in this memory is of an unknown kind";
  return nullptr;
}

}  // namespace plumb::explore
