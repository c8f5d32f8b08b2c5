// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <cstdio>

#include "cli/commands.hpp"
#include "cli/stacks.hpp"
#include "options/files.hpp"
#include "options/help.hpp"
#include "report/version.hpp"

namespace plumb::cli {
namespace {

constexpr char kFooter[] =
    "Exit status: 0 holds; 1 violation; 2 undecided; 64 wrong usage; 65 bad input; 66 missing\n"
    "file; 70 internal error; 130 interrupted. The manual: man plumb, docs/report.md,\n"
    "docs/formats.md, docs/specifications.md, docs/language.md, docs/verify.md,\n"
    "docs/test.md, docs/viewer.md.";
constexpr char kCommands[] = "check, test, verify, replay, convert or report; see plumb --help";

ExitStatus print(const std::string& text) {
  std::fputs(text.c_str(), stdout);
  return std::fflush(stdout) == 0 ? ExitStatus::holds : ExitStatus::internal;
}

// The second argument of convert is written, all others are read.
Status check_files(const options::CommandLine& command, const Parsed& parsed) {
  std::vector<std::string> read = parsed.arguments, written;
  if (command.commands == options::convert) {
    written.push_back(read.back());
    read.pop_back();
  }
  return options::check_files(parsed, read, written);
}

ExitStatus run_command(const options::CommandLine& command, const std::vector<std::string>& words) {
  Parsed parsed;
  Status understood;
  const std::string wrong = options::parse(command.commands, words, parsed);
  if (parsed.help) return print(options::command_help(command));
  if (!wrong.empty()) understood = Error{ErrorKind::usage, wrong};
  else understood = check_arguments(command, parsed);
  if (!understood.ok()) {
    understood.error().remedy = fmt::format("see plumb {} --help", command.name);
    return finish(understood);
  }
  if (Status apart = check_files(command, parsed); !apart.ok()) return finish(apart);
  switch (command.commands) {
    case options::check: return run_check(parsed);
    case options::verify: return run_verify(parsed);
    case options::replay: return run_replay(parsed);
    case options::convert: return run_convert(parsed);
    case options::report: return run_report(parsed);
    default: return run_completion(parsed);
  }
}

ExitStatus run(const std::vector<std::string>& words) {
  if (words.empty()) return finish(Error{ErrorKind::usage, "a subcommand is required", kCommands});
  if (words[0] == "--help" || words[0] == "-h") return print(options::program_help(kFooter));
  if (words[0] == "--version") return print(fmt::format("plumb {}\n", report::version()));
  const std::vector<std::string> rest(words.begin() + 1, words.end());
  for (const options::CommandLine& command : options::all_commands())
    if (command.name == words[0])
      return command.commands == options::kTest ? run_test(rest) : run_command(command, rest);
  const char* const what = words[0].starts_with('-') ? "option" : "command";
  return finish(Error{ErrorKind::usage, fmt::format("unknown {} '{}'", what, words[0]), kCommands});
}

}  // namespace
}  // namespace plumb::cli

int main(int argc, char** argv) {
  // Writing fails instead, see OutputFile.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  plumb::ExitStatus status = plumb::ExitStatus::internal;
  const plumb::Status done = plumb::cli::guarded([&] {
    const plumb::Status stacks = plumb::cli::enlarge_stacks();
    status = stacks.ok() ? plumb::cli::run({argv + std::min(argc, 1), argv + argc})
                         : plumb::cli::finish(stacks);
  });
  if (!done.ok()) plumb::cli::print_error(done.error());
  return plumb::to_int(status);
}
