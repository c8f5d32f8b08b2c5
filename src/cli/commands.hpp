// SPDX-License-Identifier: MIT
// The subcommands, one file each, and what they share. Their options are parsed by the option table
// (options/table.def).
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/exit_status.hpp"
#include "options/parse.hpp"
#include "plumb/formats.hpp"
#include "plumb/result.hpp"
#include "report/json.hpp"

namespace plumb::cli {

using options::Parsed;
using options::Settings;

ExitStatus run_check(const Parsed& parsed);
ExitStatus run_completion(const Parsed& parsed);
ExitStatus run_convert(const Parsed& parsed);
ExitStatus run_replay(const Parsed& parsed);
ExitStatus run_report(const Parsed& parsed);
/// Its words are not parsed yet: the program under test understands most of them.
ExitStatus run_test(const std::vector<std::string>& words);
ExitStatus run_verify(const Parsed& parsed);

/// What is wrong with the arguments of a command; nothing: nothing.
Status check_arguments(const options::CommandLine& command, const Parsed& parsed);

/// Of a file of reports that is read: bytes.
constexpr std::size_t kLargestReport = std::size_t{256} << 20;

/// The one line on standard error: "plumb: FILE:LINE: message (remedy)".
void print_error(const Error& error);
/// Lines on standard error, whatever is in them.
void print_message(std::string_view lines);
/// Its number is that of its kind.
constexpr ExitStatus status_of(const Error& error) { return exit_status(error.kind); }
/// Prints what is wrong, if something is.
ExitStatus finish(const Status& status);

/// How the files of check and convert are read.
Result<ReadOptions> make_read_options(const std::string& format, const Settings& settings);

/// Of several files or rows.
ExitStatus exit_status(const report::Summary& summary);

/// Runs something that may throw: what escapes is an internal error.
Status guarded(const std::function<void()>& work);

}  // namespace plumb::cli
