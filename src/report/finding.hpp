// SPDX-License-Identifier: MIT
// What an execution of a program did wrong, and how: its steps, with the lines of source.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/finding_kind.hpp"
#include "base/reuse.hpp"
#include "base/waits_for.hpp"

namespace plumb::report {

/// A line of source, in a function.
struct Frame {
  std::string function, file;
  int line = 0;  // 0: not known
  bool of_library = false;

  /// "queue.cpp:12"
  std::string place() const;
};

/// Where a thread was.
struct CallStack {
  int thread = -1;
  std::vector<Frame> frames;  // innermost first

  /// The line of the user's own code, or whatever is known; null: nothing is.
  const Frame* own() const;
};

struct ThreadStep {
  int thread = 0;
  std::string what;         // "store head_->next := #2"
  std::string name;         // "head_->next", "Node #2.next"; empty: not known
  std::string address;      // "v1", "#1+8"; empty: none
  std::string order;        // "seq_cst"; empty: none
  int events = 0;           // of an object's history: calls and returns that came before
  std::optional<Frame> at;  // nothing: not known
};

/// A thread that waits forever.
struct Wait {
  int thread = 0;
  WaitsFor kind = WaitsFor::nothing;
  std::string what;          // "mutex_b_", "thread 2"; empty: it has no name
  std::vector<int> held_by;  // threads, of a lock
  bool held_shared = false;  // ... to read
  int ends = -1;             // the thread whose end is waited for; -1: none
};

/// How an execution is run again.
struct Replay {
  std::string command;  // to be pasted into a shell; empty: it cannot be run again
  /// The same, by names without dashes: "heap", "fifo". A flag has no value.
  std::vector<std::pair<std::string, std::string>> options;
};

/// One execution that was replayed in order to be shown.
struct Interleaving {
  std::vector<ThreadStep> steps;     // those that a reader wants to see
  std::vector<Wait> waits;           // at its end
  std::vector<int> spinning;         // threads that neither ended nor wait then
  std::map<int, std::string> names;  // of threads that have one
  std::vector<std::uint8_t> schedule;
  std::string schedule_text;  // the same, as a replay takes it
  Reuse heap = Reuse::never;  // what became of freed memory
  bool complete = true;       // the schedule is whole
  Replay replay;

  /// "A", "thread 2"
  std::string thread_name(int thread) const;
};

struct Finding {
  FindingKind kind = FindingKind::none;
  std::string message;
  std::string suppression;  // "race:Counter::inc" would suppress this race; empty: it is none
  std::string signal;       // "SIGSEGV", of a crash; empty: it has none
  CallStack here, there;    // `there`: of the other access of a race
  bool replayed = false;    // its schedule showed it again
  Interleaving interleaving;
};

}  // namespace plumb::report
