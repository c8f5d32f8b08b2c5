// SPDX-License-Identifier: MIT
// The memory that the process under test shares with the one that watches it. It holds all that
// must survive a crash: the command, the search itself (a strategy's state is flat), the result,
// and the steps of a replayed execution.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>
#include <span>

#include "runtime/wire/command.hpp"
#include "runtime/wire/search_result.hpp"
#include "runtime/wire/suppressed.hpp"
#include "runtime/wire/trace_step.hpp"

namespace plumb::runtime {

/// The exit status of a process that a signal would have ended; the finding is on the board.
inline constexpr int kCrashed = 71;

/// Of a search that is kept in a file: its current stage, and the executions of the stages before.
struct SavedSearch {
  std::uint32_t stage = 0;
  std::array<std::uint64_t, 16> finished{};
};

/// What the executions of several searches together gave reason to say.
struct Remarks {
  std::atomic<bool> wrote_prior_heap{false};  // see PriorHeap
  std::atomic<bool> guessed{false};           // see Spins::guessed
  std::atomic<bool> could_reuse{false};       // see Heap::could_reuse
  std::atomic<bool> read_thread_id{false};    // an operation read its thread id

  void reset() { new (this) Remarks; }
};

/// Instructions at which plain accesses are scheduling points: the watcher sets them, a search that
/// finds races adds to them.
struct SiteList {
  static constexpr std::size_t kMost = 1024;
  std::uint32_t count = 0;
  std::array<const void*, kMost> pcs{};

  void clear() { count = 0; }
  void add(const void* pc) {
    if (count < kMost) pcs[count++] = pc;
  }
  std::span<const void* const> all() const { return {pcs.data(), count}; }
};

/// What instrumentation did not show while several threads ran, or in an operation.
struct UnseenList {
  static constexpr std::size_t kMost = 256;
  bool watch_all = false;  // also the accesses of functions with hooks are watched: some may have
                           // no hook (inline assembly)
  bool by_effect = false;  // something was done nevertheless that was not seen
  // Functions without hooks that cannot be watched:
  std::uint32_t count = 0;  // of those that are kept: there may be more
  std::array<const void*, kMost> functions{};

  void add(const void* function) {
    for (std::uint32_t i = 0; i < count; ++i) {
      if (functions[i] == function) return;
    }
    if (count < kMost) functions[count++] = function;
  }
  bool any() const { return by_effect || count > 0; }
  std::span<const void* const> all() const { return {functions.data(), count}; }
};

struct Module {
  std::uintptr_t base = 0, end = 0;
  char path[512] = {};
};

/// The program and its libraries, as they lie in the process under test.
struct ModuleList {
  static constexpr std::size_t kMost = 64;
  std::uint32_t count = 0;
  std::array<Module, kMost> modules;

  std::span<const Module> all() const { return {modules.data(), count}; }
};

struct Board {
  static constexpr std::uint64_t kMagic = 0x32647261'6f42'50ull;
  static constexpr std::size_t kBytes = std::size_t{1} << 28;
  static constexpr std::size_t kTraceSteps = 20'000;
  static constexpr std::size_t kStrategyBytes = std::size_t{1} << 26;

  std::uint64_t magic = kMagic;
  SavedSearch saved;
  Command command;
  SearchResult result;
  Remarks remarks;
  SiteList sites;
  SuppressedRaces suppressed;
  ModuleList modules;
  UnseenList unseen;  // of all searches

  std::span<std::byte> strategy_memory() {
    return {reinterpret_cast<std::byte*>(this) + kBytes - kStrategyBytes, kStrategyBytes};
  }
  TraceStep* trace() {
    return reinterpret_cast<TraceStep*>(reinterpret_cast<std::byte*>(this) +
                                        ((sizeof(Board) + 63) / 64 * 64));
  }
};

static_assert(sizeof(Board) + Board::kTraceSteps * sizeof(TraceStep) + Board::kStrategyBytes <
              Board::kBytes);

}  // namespace plumb::runtime
