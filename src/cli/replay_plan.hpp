// SPDX-License-Identifier: MIT
// What a report asks a replay to build and run. A report may come from anybody: it names a source,
// a test and a schedule, and nothing in it is a command.
#pragma once

#include <string>
#include <vector>

#include "cli/test_command.hpp"
#include "plumb/result.hpp"

namespace plumb::cli {

struct ReplayPlan {
  TestArguments test;
  std::vector<std::string> options;  // "--replay=0,1"
  int call = 0;                      // see report::ProgramSource
  std::string compiler;              // that the report was made with; it is shown, not used
};

/// Reads a report. `number`: which of its findings, counted from 1. Only such flags, libraries and
/// options are accepted as can do no more than build and replay.
Result<ReplayPlan> read_replay_plan(const std::string& report, std::size_t number);

/// Whether all that it names lies in the folder of the report or in the current one, links
/// followed, and is a source or a program of Plumb's.
Status check_folders(const ReplayPlan& plan, const std::string& report);

/// What would be built and run, for people.
std::string describe(const ReplayPlan& plan);

}  // namespace plumb::cli
