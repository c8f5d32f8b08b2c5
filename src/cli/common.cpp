// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <exception>
#include <new>

#include "cli/commands.hpp"

namespace plumb::cli {

void print_error(const Error& error) {
  std::string text = error.to_string();
  for (char& c : text)
    if (c == '\n' || c == '\r') c = ' ';
  std::fputs(fmt::format("plumb: {}\n{}", text, error.details).c_str(), stderr);
}

Result<ReadOptions> make_read_options(const std::string& format, const std::string& failed_cas,
                                      const std::string& clock_skew) {
  ReadOptions options;
  options.format = format;
  options.failed_cas = failed_cas == "absent" ? ReadOptions::absent : ReadOptions::mismatch;
  if (clock_skew.empty()) return options;
  double number = 0;
  std::size_t used = 0;
  try {
    number = std::stod(clock_skew, &used);
  } catch (const std::exception&) {}
  if (used != clock_skew.size() || !(number >= 0) || number > 9e18)
    return Error{ErrorKind::usage, fmt::format("--clock-skew {} is not a duration", clock_skew),
                 "give a number in the unit of the file's clock"};
  const double whole = std::floor(number);
  options.clock_skew = ClockTime{static_cast<std::int64_t>(whole), number - whole};
  return options;
}

// A violation is worth more than a file that could not be read, and that more than "undecided".
int exit_status(const report::Summary& summary) {
  if (summary.interrupted) return kInterrupted;
  if (summary.violation) return kViolation;
  if (!summary.errors.empty()) return static_cast<int>(summary.errors.front().kind);
  return summary.undecided ? kUndecided : kHolds;
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
  } catch (const std::exception& error) { return internal(error.what()); } catch (...) {
    return internal("an unknown exception");
  }
}

}  // namespace plumb::cli
