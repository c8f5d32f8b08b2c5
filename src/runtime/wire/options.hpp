// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "base/reuse.hpp"

namespace plumb::runtime {

/// Which plain accesses are scheduling points; `some`: those at known sites (schedule/sites.hpp).
enum class PlainPoints : std::uint8_t { none, some, all };

/// How executions are run and what counts as a finding.
struct Options {
  PlainPoints plain = PlainPoints::some;
  Reuse reuse = Reuse::never;
  bool races = true;           // detect data races
  bool memory = true;          // detect accesses to memory that is not allocated
  bool race_is_bad = true;     // else a race only makes its two accesses scheduling points
  bool stuck_is_bad = true;    // threads that wait forever are a finding, not an outcome,
  bool judges_stuck = false;   // except inside an operation
  bool spurious = false;       // weak compare-and-swaps and waits may fail spuriously
  bool start_points = false;   // the start of a thread is a step of its own
  bool serial = false;         // one operation after the other
  bool specifies = false;      // ... and the results are right by definition
  bool record = true;          // keep the history
  bool every_history = false;  // report a history even if it was seen before
  bool leaks = false;          // blocks that are never freed are a finding
  int random_values = 2;       // how many values a random number has; all are explored
  bool tracing = false;        // keep what every step did (trace_step.hpp)
  // An operation's call is a scheduling point of its own: what it does unseen may take effect
  // before its first visible step. With `free`, switching there costs no preemption.
  enum class CallPoints : std::uint8_t { none, counted, free } call_points = CallPoints::none;
  bool compare = false;               // what would other checkers report? (search_result.hpp)
  std::uint64_t max_steps = 100'000;  // of one execution
};

}  // namespace plumb::runtime
