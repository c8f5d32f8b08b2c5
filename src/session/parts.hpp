// SPDX-License-Identifier: MIT
// The parts of a search that is divided among processes (team.cpp): what each of them counted and
// found.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "explore/state.hpp"
#include "runtime/wire/board.hpp"
#include "session/process.hpp"
#include "session/watch.hpp"

namespace plumb::session {

/// What executions counted and found.
struct Counted {
  std::uint64_t executions = 0, steps = 0, stuck = 0, cut = 0;
  std::uint64_t histories = 0;  // that were passed on: not of one part
  bool many_threads = false;
  runtime::Compared compared;
  std::vector<runtime::KeptFinding> first_cycle;  // at most one
  std::vector<runtime::KeptFinding> findings;
  bool wrote_prior_heap = false, guessed = false, could_reuse = false, read_thread_id = false;
  int blind = -1;
  runtime::UnseenList unseen;
  std::vector<runtime::SuppressedRaces::Pair> suppressed;  // races that were seen
  explore::StateHead head;                                 // only what is counted there

  /// Adds what comes after it in the order of the search.
  void add(const Counted& later);
  /// Of the part that a board is about; `before`: what its search had counted earlier.
  static Counted of(runtime::Board& board, const explore::StateHead& before);
  /// As if one process had counted all of it.
  void write_to(runtime::Board& board) const;
};

void add(const runtime::Compared& more, runtime::Compared& to);

struct Part {
  enum class State : std::uint8_t {
    waits,    // for the two parts that it continues
    ready,    // its search is in `memory`
    running,  // by a worker
    done,     // nothing is left
    ended,    // otherwise; the worker's board says how
  };
  State state = State::running;
  std::size_t worker = 0;                      // its number; running, ended
  std::vector<HistoryRecord> histories;        // that wait for those of the parts before it
  explore::StateHead before;                   // what its search had counted when it was begun
  Counted counted;                             // done, ended
  Watch::Ended why = Watch::Ended::by_itself;  // ended: as its process
  int status = 0;                              // of that

  /// The part that continues this one and the one that was given away: it is there if the search
  /// needs to know what came of that (FlatStrategy::joins).
  Part* next = nullptr;
  bool was_given = false;                    // to `next`, which continues who gave it
  std::vector<std::uint64_t> memory, given;  // waits, ready: of the two
};

}  // namespace plumb::session
