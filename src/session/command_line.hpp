// SPDX-License-Identifier: MIT
// The command line of a program under test. Here alone the runtime prints.
#pragma once

#include <string>
#include <vector>

#include "session/exploration.hpp"
#include "session/user_options.hpp"

namespace plumb::session {

/// A program that explores nothing must not look like one in which nothing was found: it ends with
/// an error unless this was called.
void note_exploration();
/// The call was made that PLUMB_REPLAY is about; the same is true of that.
void note_replay();

/// Files that could not be written.
void print_trouble(const plumb_exploration& result);
/// Files that are standard output. Returns: the status, which says so if a file could not be
/// written.
int print_files(const plumb_exploration& result);

/// main() of a program that explores; returns the exit status. `user` has the options of its code;
/// `wrong`: what is wrong with those.
int run_command_line(const Subject& subject, const std::vector<std::string>& words,
                     UserOptions& user, std::string wrong);

}  // namespace plumb::session
