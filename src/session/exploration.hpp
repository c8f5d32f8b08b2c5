// SPDX-License-Identifier: MIT
// One call of plumb::explore() or plumb::test(): what is run, who asks, and the answer.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/exit_status.hpp"
#include "plumb/explore_abi.hpp"
#include "plumb/test_abi.hpp"
#include "session/findings.hpp"
#include "session/settings.hpp"
#include "session/watch.hpp"

struct plumb_exploration {
  int status = plumb::to_int(plumb::ExitStatus::internal);
  std::uint64_t executions = 0;
  std::string text, json;
  std::string trouble = {};  // what could not be written: no reason to lose what was found
  std::string printed = {};  // after the report: files that are standard output
};

namespace plumb::session {

/// What is run: a body, or tests of an object.
struct Subject {
  void (*body)(void*);
  void* argument;
  const plumb_object* object = nullptr;  // null: just the body
};

/// Who asks.
struct Caller {
  std::string test = {};                    // of GoogleTest; empty: none
  int number = 1;                           // of the calls there
  std::vector<std::string> arguments = {};  // what the code under test may depend on
  report::ProgramSource source = {};
  ReplayCommand again;
  bool has_own_main = true;  // else the program has another command line
  Progress progress = {};    // shows how far the search is; empty: nobody asked
};

plumb_exploration* answer(ExitStatus status, const std::string& text);
plumb_exploration* explore(const Subject& subject, Settings& settings, const Caller& caller);

}  // namespace plumb::session
