// SPDX-License-Identifier: MIT
// What becomes of a search: written by the process under test while it runs and at its end.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>

#include "explore/conflict_graph.hpp"
#include "runtime/wire/finding.hpp"
#include "runtime/wire/flat_matrix.hpp"

namespace plumb::runtime {

/// How a search, or a part of it, ended.
enum class SearchEnd : std::uint32_t {
  running,     // it did not: the process crashed or was stopped
  exhausted,   // nothing is left
  finding,     // see SearchResult::findings
  more_sites,  // plain accesses raced: they are scheduling points from now on, and the search
               // starts again
  limit,       // of executions
  endless,     // an operation took all steps that an execution may have; `message` says which
  unhooked,    // no access of the program was seen
  broken,      // the runtime does not work here; `message` says why
};

/// How far the search is.
struct Progress {
  std::atomic<std::uint64_t> executions{0};
  std::atomic<std::uint64_t> steps{0};
  std::atomic<std::uint64_t> heartbeat{0};  // rises while an execution runs
  std::atomic<std::uint64_t> stuck{0};
  std::atomic<std::uint64_t> cut{0};
  std::atomic<std::uint64_t> histories{0};
  std::atomic<bool> many_threads{false};  // executions were cut because of that
  std::atomic<bool> paused{false};        // see Command::pause

  void reset() { new (this) Progress; }
};

/// What other checkers would have reported for the executions so far (Options::compare).
struct Compared {
  std::uint64_t executions = 0;  // that ended
  std::uint64_t racy = 0;        // of them: with a data race
  std::uint64_t cyclic = 0;      // with a cycle in the conflict graph
  std::uint64_t cut = 0;         // with more accesses than are kept: a cycle may be missed
};

/// The cycle in the conflict graph of an execution that is shown; empty if it is too long.
struct ConflictCycle {
  static constexpr std::size_t kMost = 1024;
  std::uint32_t count = 0;
  std::array<explore::Conflict, kMost> all;
};

/// The object under test, in the execution of the trace.
struct TracedObject {
  const void* address = nullptr;  // null: none
  const void* made_by = nullptr;  // the function, which has its type as template argument
  std::uint32_t since = 0;        // the line at which it was there
};

struct SearchResult {
  std::atomic<SearchEnd> end{SearchEnd::running};
  char message[512] = {};
  Progress progress;
  FindingList findings;
  Compared compared;
  Place endless;            // SearchEnd::endless: the last of these steps
  KeptFinding first_cycle;  // no finding, only its schedule; if compared.cyclic is not 0
  ConflictCycle cycle;
  std::array<std::uint8_t, FlatMatrix::kColumns> threads{};  // which thread ran which column
  std::atomic<int> blind{-1};     // an operation (its cell) that passed no scheduling point
  std::uint32_t trace_count = 0;  // lines of Board::trace()
  std::uint32_t trace_dropped = 0;
  TracedObject object;
  std::uint32_t spinning = 0;  // threads (bits) that neither ended nor wait, of a stuck execution

  void set_broken(const char* why) { set_end(SearchEnd::broken, why); }
  void set_end(SearchEnd how, const char* why) {
    std::size_t i = 0;
    for (; i + 1 < sizeof message && why[i] != 0; ++i) message[i] = why[i];
    message[i] = 0;
    end = how;
  }
  /// Before a search begins. (Lists are emptied, not overwritten: they are large.)
  void reset() {
    progress.reset();
    findings.clear();
    compared = {};
    cycle.count = 0;
    threads = {};
    blind = -1;
    trace_count = trace_dropped = 0;
    object = {};
    spinning = 0;
  }
};

}  // namespace plumb::runtime
