// SPDX-License-Identifier: MIT
// The memory that the process under test shares with the one that watches it. It holds all that
// must survive a crash: what is to be done, the search itself (a strategy's state is flat), what
// was found, and the steps of an execution that was replayed to be shown.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "runtime/schedule/execution.hpp"

namespace plumb::runtime {

// How a search, or a part of it, ended.
enum class Result : std::uint32_t {
  running,    // it did not: the process crashed, or was stopped
  exhausted,  // nothing is left
  finding,
  more_sites,  // plain accesses raced: they are scheduling points from now on, and the search
               // begins anew
  limit,       // of executions
  unhooked,    // no access of the program was seen
  broken,      // the runtime does not work here; `message` says why
};

// The exit status of a process that a signal would have ended; what was found is on the board.
inline constexpr int kCrashed = 71;

// One line of what happened, of a replayed execution.
struct TraceStep {
  std::uint8_t thread = 0;
  bool is_point = false;
  bool has_values = false;
  bool failed = false;  // a compare-and-swap, or a try
  char what[20] = {};
  std::uint64_t address = 0;
  std::uint32_t size = 0;
  std::int8_t order = -1;  // std::memory_order
  std::uint64_t before = 0, after = 0;
  // The blocks of the heap that these addresses are in; 0: none.
  std::uint64_t block = 0, before_block = 0, after_block = 0;
  std::int32_t events = 0;  // calls and returns of operations that came before it
  Place place;
};

// Something that was found, and the schedule that leads there.
struct Found {
  static constexpr std::size_t kChoices = 1 << 14;
  Finding finding;
  std::uint32_t choices = 0;
  bool too_long = false;
  std::array<std::uint8_t, kChoices> schedule;
  void keep(std::span<const std::uint8_t> all);
};

// What other checkers would have said of the executions so far (Options::compare).
struct Compared {
  std::uint64_t executions = 0;  // that came to their end
  std::uint64_t racy = 0;        // of them: with a data race
  std::uint64_t cyclic = 0;      // with a cycle in their conflict graph
  std::uint64_t cut = 0;         // with more accesses than are kept: a cycle may be missed
};

// A test of an object: which operations are called by which thread. Column 0 is what the main
// thread does before the others, the last column what it does after them.
struct Matrix {
  static constexpr int kColumns = 30, kCells = 1024, kPairs = 1024;
  int columns = 0;                                  // of the others
  std::array<std::uint8_t, kColumns> threads{};     // which they were: the object may make others
  std::array<std::uint16_t, kColumns + 3> begin{};  // of each column, in `cells`; then the end
  std::array<std::uint16_t, kCells> cells{};        // operations
  // Serially, `cell` is called only when `after` has returned.
  struct Pair {
    std::uint16_t cell, after;
  };
  int pairs = 0;
  std::array<Pair, kPairs> order{};
};

struct Module {
  std::uintptr_t base = 0, end = 0;
  char path[512] = {};
};

struct Board {
  static constexpr std::uint64_t kMagic = 0x31647261'6f42'50ull;
  static constexpr std::size_t kBytes = std::size_t{1} << 28;
  static constexpr std::size_t kTraceSteps = 20'000;
  static constexpr std::size_t kSites = 1024;
  static constexpr std::size_t kModules = 64;
  static constexpr std::size_t kStrategyBytes = std::size_t{1} << 26;

  std::uint64_t magic = kMagic;

  // Of a search that is kept in a file: whose it is, which part of the plan it is at, and the
  // executions of the parts before.
  std::uint64_t identity = 0;
  std::uint32_t stage = 0;
  std::array<std::uint64_t, 16> finished{};

  // What is to be done.
  Options options;
  bool resume = false;   // the strategy's memory holds a search that was begun,
  bool crashed = false;  // and whose execution crashed
  bool tracing = false;
  bool forget = true;                   // histories that were seen before, by another search
  std::array<const void*, 2> sought{};  // the race to be shown, if its schedule leads to several
  bool keep_going = false;              // after a finding
  std::uint64_t max_executions = 0;
  char points[8192] = {};  // more sites: module+0x12,module+0x34
  Matrix matrix;

  // How it goes.
  std::atomic<std::uint64_t> executions{0};
  std::atomic<std::uint64_t> steps{0};
  std::atomic<std::uint64_t> heartbeat{0};  // rises while an execution runs
  std::atomic<std::uint64_t> stuck{0};
  std::atomic<std::uint64_t> cut{0};
  std::atomic<std::uint64_t> histories{0};
  std::atomic<std::uint64_t> accesses{0};
  std::atomic<bool> pause{false};         // please wait between two executions
  std::atomic<bool> paused{false};        // it does
  std::atomic<bool> wrote_older{false};   // see Execution::wrote_older
  std::atomic<bool> guessed{false};       // see Execution::guessed
  std::atomic<bool> could_reuse{false};   // see Heap::could_reuse
  std::atomic<bool> asked_who{false};     // see Execution::asked_who
  std::atomic<bool> many_threads{false};  // executions were cut for that
  std::atomic<Result> result{Result::running};
  char message[512] = {};

  static constexpr std::size_t kFound = 64;
  std::uint32_t found_count = 0;
  std::array<Found, kFound> found;
  // Keeps it if none like it, of the same kind at the same place, is there.
  void add(const Finding& finding, std::span<const std::uint8_t> schedule);
  bool knows_race(const void* here, const void* there) const;  // or the other way round

  Compared compared;
  Found first_cycle;  // without a finding; if compared.cyclic is not 0
  // Of an execution that is shown; none if it is longer than that.
  static constexpr std::size_t kCycle = 1024;
  std::uint32_t cycle_count = 0;
  std::array<explore::Conflict, kCycle> cycle;

  std::uint32_t site_count = 0;
  std::array<const void*, kSites> sites{};
  std::uint32_t module_count = 0;
  std::array<Module, kModules> modules;
  std::uint32_t trace_count = 0;
  std::uint32_t trace_dropped = 0;

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

// Before what is sent to who watches: a history (its events follow, and its schedule), the text of
// a result, or that the search has ended and the process waits for another.
struct RecordHead {
  enum class Kind : std::uint32_t { history, name, end };
  Kind kind = Kind::history;
  std::uint32_t events = 0;
  std::uint32_t choices = 0;
  std::uint32_t stuck = 0;
  std::uint64_t number = 0;  // of a result; of a history: how many executions there had been
  std::uint32_t length = 0;  // of its text
  Compared compared;         // of a history: so far, with this one
};
void send_name(std::uint64_t number, std::string_view text);

// Runs the search that the board describes on body(argument), and says on the board how it ended.
// Each history that was not seen before is written to `pipe`, if there is one. If `commands` is
// one, waits there to be told that the board has been written anew, and searches again.
void search(Board& board, int pipe, int commands, void* (*body)(void*), void* argument);

}  // namespace plumb::runtime
