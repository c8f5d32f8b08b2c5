// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <new>
#include <system_error>

#include "base/text.hpp"
#include "cli/commands.hpp"
#include "history/clock_time.hpp"

namespace plumb::cli {

void print_error(const Error& error) {
  std::string text = error.to_string();
  for (char& c : text)
    if (c == '\n' || c == '\r') c = ' ';
  print_message(fmt::format("plumb: {}\n{}", text, error.details));
}

void print_message(std::string_view lines) {
  std::fputs(text::for_terminal(lines).c_str(), stderr);
}

ExitStatus finish(const Status& status) {
  if (status.ok()) return ExitStatus::holds;
  print_error(status.error());
  return status_of(status.error());
}

Status check_arguments(const options::CommandLine& command, const Parsed& parsed) {
  std::size_t wanted = 0;
  bool is_repeated = false;
  for (const options::CommandLine::Argument& argument : command.arguments) {
    if (argument.name.empty()) break;
    is_repeated = argument.is_repeated;
    if (++wanted > parsed.arguments.size())
      return Error{ErrorKind::usage, fmt::format("{} is required", argument.name)};
  }
  if (parsed.arguments.size() > wanted && !is_repeated)
    return Error{ErrorKind::usage,
                 fmt::format("unexpected argument '{}'", parsed.arguments[wanted])};
  return {};
}

Result<ReadOptions> make_read_options(const std::string& format, const Settings& settings) {
  const std::string& clock_skew = settings.clock_skew;
  ReadOptions options;
  options.format = format;
  switch (settings.failed_cas) {
    case options::FailedCas::by_format: options.failed_cas = ReadOptions::by_format; break;
    case options::FailedCas::mismatch: options.failed_cas = ReadOptions::mismatch; break;
    case options::FailedCas::absent: options.failed_cas = ReadOptions::absent; break;
  }
  if (clock_skew.empty()) return options;
  options.clock_skew = to_clock_time(clock_skew);
  if (!options.clock_skew || *options.clock_skew < ClockTime{})
    return Error{ErrorKind::usage, fmt::format("--clock-skew {} is not a duration", clock_skew),
                 "give a number in the unit of the file's clock"};
  return options;
}

// A violation counts more than an unreadable file, which counts more than "undecided".
ExitStatus exit_status(const report::Summary& summary) {
  if (summary.interrupted) return ExitStatus::interrupted;
  if (summary.violation) return ExitStatus::violation;
  if (!summary.errors.empty()) return status_of(summary.errors.front());
  return summary.undecided ? ExitStatus::undecided : ExitStatus::holds;
}

Status guarded(const std::function<void()>& work) {
  const auto internal = [](std::string_view what) {
    return Error{ErrorKind::internal, fmt::format("internal error: {}", what),
                 "this is a bug in plumb: please report it"};
  };
  try {
    work();
    return {};
  } catch (const std::bad_alloc&) {
    return Error{ErrorKind::internal, "out of memory", "set --memory, or use a larger machine"};
  } catch (const std::system_error& error) {
    if (error.code() != std::errc::resource_unavailable_try_again) return internal(error.what());
    return Error{ErrorKind::internal, "the system allows no more threads",
                 "raise ulimit -u, or the limit of the container"};
  } catch (const std::exception& error) { return internal(error.what()); } catch (...) {
    return internal("an unknown exception");
  }
}

}  // namespace plumb::cli
