// SPDX-License-Identifier: MIT
// What was found, for people and for machines.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "report/case.hpp"
#include "session/settings.hpp"
#include "session/symbols.hpp"
#include "session/watch.hpp"

namespace plumb::session {

struct Report {
  std::string text;
  std::string json;
  std::string again;                // the first command that shows a finding
  std::vector<report::Case> cases;  // of a test of an object: its tests
  double seconds = 0;
};

// "race", as reports have it.
const char* name_of(runtime::FindingKind kind);

// A remark on what was covered.
inline constexpr const char* kGuessedText =
    "a loop that only looked, again and again, was taken for one that waits until somebody writes";

// Why something is undecided, in words.
std::string reason_text(const std::string& reason);

// The options, if any, under which other executions are possible, or something else is wrong with
// them.
std::string circumstances(const Settings& settings);

// One execution: what is wrong with it, its steps as a table, the command that shows it again, and
// all of that as JSON.
struct Told {
  std::string text, again, json;
};
Told tell_shown(const Shown& shown, const Settings& settings, const runtime::Board& board,
                const std::function<std::string(const std::string& options)>& again);

// Some of its steps, by their lines in the trace.
struct ToldStep {
  std::string file;
  int line = 0;
  std::string what;  // "load #1 = 0"
  std::string text() const;
};
std::vector<ToldStep> tell_steps(const Shown& shown, const runtime::Board& board,
                                 const std::vector<std::int32_t>& lines);

// `again`: a command that runs the program with these options; `name`: what to call it.
Report narrate(const Outcome& outcome, const Settings& settings, const runtime::Board& board,
               const std::function<std::string(const std::string& options)>& again,
               const std::string& name);

}  // namespace plumb::session
