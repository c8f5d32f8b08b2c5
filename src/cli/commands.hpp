// SPDX-License-Identifier: MIT
// The subcommands: each adds its options to a CLI::App and runs; the result is the exit status.
#pragma once

#include <CLI/CLI.hpp>

#include <functional>
#include <string>

#include "plumb/formats.hpp"
#include "plumb/result.hpp"
#include "report/json.hpp"

namespace plumb::cli {

inline constexpr int kHolds = 0, kViolation = 1, kUndecided = 2, kInterrupted = 130;

std::function<int()> add_check_command(CLI::App& root);
std::function<int()> add_completion_command(CLI::App& root);
std::function<int()> add_convert_command(CLI::App& root);
std::function<int()> add_replay_command(CLI::App& root);
std::function<int()> add_report_command(CLI::App& root);
std::function<int()> add_test_command(CLI::App& root);
std::function<int()> add_verify_command(CLI::App& root);

/// The one line on standard error: "plumb: FILE:LINE: message (remedy)".
void print_error(const Error& error);

/// What both commands say about the file that they read.
Result<ReadOptions> make_read_options(const std::string& format, const std::string& failed_cas,
                                      const std::string& clock_skew);

/// Of several files or rows.
int exit_status(const report::Summary& summary);

/// Runs something that may throw: what escapes is an internal error.
Status guarded(const std::function<void()>& work);

}  // namespace plumb::cli
