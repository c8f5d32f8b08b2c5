// SPDX-License-Identifier: MIT
// Plans an exploration, runs it in processes of its own, and sees what becomes of them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "runtime/board.hpp"
#include "session/process.hpp"
#include "session/settings.hpp"

namespace plumb::session {

// A search, or a part of it, that was done.
struct Stage {
  std::string name;  // "all schedules with at most 2 preemptions"
  std::string heap;  // "quarantine" ...
  std::uint64_t executions = 0;
  std::uint64_t steps = 0;
  std::uint64_t pruned = 0;
  bool complete = false;
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
  enum Status { kHolds = 0, kFinding = 1, kUndecided = 2, kUnusable = 70, kInterrupted = 130 };
  Status status = kUndecided;
  std::string reason;  // why undecided or unusable
  std::vector<Stage> stages;
  std::uint64_t executions = 0;
  std::uint64_t histories = 0;  // distinct, in the stage that had most
  double seconds = 0;
  double cpu_seconds = 0;  // of the processes under test
  std::uint64_t peak_bytes = 0;
  std::vector<Shown> findings;
};

class Watch {
 public:
  explicit Watch(const Settings& settings) : settings_(settings) {}

  // Empty: ready.
  std::string open(const char* gtest);
  Outcome explore();
  std::function<void(const HistoryRecord&)> on_history;
  const runtime::Board& board() const { return processes_.front()->board(); }

 private:
  // What is searched, one after the other.
  struct Plan {
    enum How { kDfs, kDpor, kPct, kPos, kRandom } how;
    runtime::Reuse reuse;
  };
  std::vector<Plan> plan() const;

  enum class Ended { kByItself, kCrashed, kHung, kTimedOut, kInterrupted };
  Ended run(const Process::How& how);
  Ended run_workers(const Process::How& how);
  std::string run_stage(const Plan& plan, bool resume, Outcome& outcome);
  void show(Shown& shown);
  void prepare(runtime::Board& board, runtime::Reuse reuse) const;
  Outcome replay();
  Process::How how(bool loud) const;

  const Settings& settings_;
  std::vector<std::unique_ptr<Process>> processes_;
  bool kept_ = false;
  int call_ = 0;
  double deadline_ = 0;
  int status_ = 0;  // with which the last process ended that was not meant to
  std::string gtest_;
};

}  // namespace plumb::session
