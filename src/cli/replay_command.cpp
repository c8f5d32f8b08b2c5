// SPDX-License-Identifier: MIT
// plumb replay REPORT.json: runs the execution of a finding once more.
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "base/shell.hpp"
#include "cli/commands.hpp"
#include "cli/replay_plan.hpp"

namespace plumb::cli {
namespace {

// Asks on the terminal.
bool is_wanted() {
  std::fputs("Build and run it? [y/N] ", stderr);
  const int answer = std::getchar();
  return answer == 'y' || answer == 'Y';
}

Status check_trust(const ReplayPlan& plan, const std::string& report) {
  if (const Status inside = check_folders(plan, report); !inside.ok()) return inside.error();
  const bool can_ask = isatty(STDIN_FILENO) != 0 && isatty(STDERR_FILENO) != 0;
  if (!can_ask)
    return Error{ErrorKind::usage, "nothing was built: there is no terminal to ask on",
                 "--trust builds and runs what the report names", report, 0};
  if (!is_wanted()) return Error{ErrorKind::usage, "nothing was built", "", report, 0};
  return {};
}

void set_call(const ReplayPlan& plan, const std::vector<std::string>& options) {
  std::string replay;
  for (const std::string& word : options) replay += (replay.empty() ? "" : " ") + shell_word(word);
  setenv("PLUMB_REPLAY", replay.c_str(), 1);
  setenv("PLUMB_CALL", std::to_string(plan.call).c_str(), 1);
}

Result<ExitStatus> replay_finding(const std::string& report, const Settings& settings) {
  Result<ReplayPlan> read = read_replay_plan(report, static_cast<std::size_t>(settings.number));
  if (!read.ok()) return read.error();
  ReplayPlan& plan = *read;
  std::fputs(
      fmt::format("plumb: replay of finding {} of {}\n{}", settings.number, report, describe(plan))
          .c_str(),
      stderr);
  if (!settings.trust)
    if (const Status trusted = check_trust(plan, report); !trusted.ok()) return trusted.error();
  std::vector<std::string> options = plan.options;
  if (settings.debug) options.emplace_back("--debug");
  if (settings.timeout > 0) options.push_back(fmt::format("--timeout={}", settings.timeout));
  if (settings.memory > 0) options.push_back(fmt::format("--memory={}", settings.memory));
  if (plan.call > 0) set_call(plan, options);
  else plan.test.options = options;
  plan.test.timeout = settings.timeout;
  plan.test.memory_bytes = settings.memory << 20;
  return build_and_run(plan.test);
}

}  // namespace

ExitStatus run_replay(const Parsed& parsed) {
  const Result<ExitStatus> status = replay_finding(parsed.arguments[0], parsed.settings);
  return status.ok() ? *status : finish(status.error());
}

}  // namespace plumb::cli
