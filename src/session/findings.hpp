// SPDX-License-Identifier: MIT
// What an exploration found, as the report of all commands has it.
#pragma once

#include <functional>
#include <string>

#include "lineup/cut.hpp"
#include "report/report.hpp"
#include "session/settings.hpp"
#include "session/watch.hpp"

namespace plumb::session {

/// A command that runs the program with these options.
using ReplayCommand = std::function<report::Replay(const std::string& options)>;

/// Why something is undecided, in words.
std::string reason_text(const lineup::Cut& cut);
StopReason stop_reason(const lineup::Cut& cut);

/// The options, if any, under which other executions are possible, or something else is wrong with
/// them.
std::string circumstances(const Settings& settings);

/// One execution: what is wrong with it, its steps, and the command that shows it again.
report::Finding make_finding(const Shown& shown, const Settings& settings,
                             const runtime::Board& board, const ReplayCommand& replay);
/// The same, where nothing is.
report::Interleaving make_interleaving(const Shown& shown, const Settings& settings,
                                       const runtime::Board& board, const ReplayCommand& replay);

/// `name`: what to call the program.
report::Report exploration_report(const ExplorationResult& outcome, const Settings& settings,
                                  const runtime::Board& board, const ReplayCommand& replay,
                                  const std::string& name);

}  // namespace plumb::session
