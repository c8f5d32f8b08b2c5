// SPDX-License-Identifier: MIT
// The process that watches: starts the program anew to run the schedules in it, sees what becomes
// of that, and starts it again after a crash.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "runtime/board.hpp"
#include "session/settings.hpp"

namespace plumb::session {

// A search, or a part of it, that was done.
struct Stage {
  std::string name;  // "at most 2 preemptions", "all schedules (partial-order reduction)"
  std::string heap;  // "quarantine" ...
  std::uint64_t executions = 0;
  std::uint64_t steps = 0;
  std::uint64_t pruned = 0;
  bool complete = false;
  bool exhaustive = false;  // complete, and nothing was left out by a bound
};

// A finding, with the steps of an execution that was replayed to be shown.
struct Shown {
  runtime::Finding finding;
  std::vector<std::uint8_t> schedule;
  bool complete = true;  // the schedule is whole
  std::string heap;
  bool replayed = false;  // the replay showed it again
  std::vector<runtime::TraceStep> trace;
};

struct Outcome {
  enum Status { kHolds = 0, kFinding = 1, kUndecided = 2, kUnusable = 70 };
  Status status = kUndecided;
  std::string reason;  // why undecided or unusable
  std::vector<Stage> stages;
  std::uint64_t executions = 0;
  std::uint64_t histories = 0;
  double seconds = 0;
  std::uint64_t peak_bytes = 0;

  std::vector<Shown> findings;
};

// The process that was started by one that watches, and is now at the call for which it was: never
// returns there. Elsewhere it does nothing.
void run_if_child(void* (*body)(void*), void* argument);
bool is_child();

class Watch {
 public:
  // Empty: ready.
  std::string open();
  Outcome explore(const Settings& settings, const char* gtest);
  const runtime::Board& board() const { return *board_; }
  ~Watch();

 private:
  struct Ended {
    bool crashed = false;
    bool hung = false;
    bool timed_out = false;
    bool interrupted = false;
    int status = 0;
  };
  Ended run_child(const Settings& settings);
  std::string run_stage(const Settings& settings, const std::string& name, runtime::Reuse reuse,
                        Outcome& outcome);
  void show(const Settings& settings, Shown& shown);
  void prepare(const Settings& settings, runtime::Reuse reuse);

  runtime::Board* board_ = nullptr;
  int fd_ = -1;
  double deadline_ = 0;
  std::string gtest_;
};

}  // namespace plumb::session
