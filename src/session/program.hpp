// SPDX-License-Identifier: MIT
// The program under test, as its user calls it.
#pragma once

#include <string>

#include "report/report.hpp"

namespace plumb::session {

/// Whether plumb test started it.
bool is_run_by_plumb();
/// Its command, as a shell reads it: that of plumb test, or its path.
std::string own_command();
/// The file that plumb test was given, or the program's name.
std::string own_name();
/// What own_command() builds and runs, in its parts.
report::ProgramSource own_source();
/// The command with these options, and what they are.
report::Replay replay_by(const std::string& command, const std::string& options);

}  // namespace plumb::session
