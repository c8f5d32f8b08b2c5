// SPDX-License-Identifier: MIT
// plumb replay REPORT.json: runs the execution of a finding once more.
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "base/json_reader.hpp"
#include "base/read_text.hpp"
#include "base/shell.hpp"
#include "cli/commands.hpp"

namespace plumb::cli {
namespace {

// NAME=VALUE before a command, as a shell takes it; a report may set nothing but this.
bool set_variable(const std::string& word) {
  for (const std::string name : {"PLUMB_REPLAY", "PLUMB_CALL", "CXX"}) {
    if (!word.starts_with(name + "=")) continue;
    setenv(name.c_str(), word.c_str() + name.size() + 1, 1);
    return true;
  }
  return false;
}

Result<std::vector<std::string>> command_in(const std::string& file, std::size_t number) {
  const Result<std::string> written = read_text(file, kLargestReport);
  if (!written.ok()) return written.error();
  const std::optional<Json> report = parse_json(*written);
  const char* const remedy = "a report is what plumb test --json prints";
  if (!report || !report->is_object())
    return Error{ErrorKind::bad_input, "this is not a report", remedy, file, 0};
  // Of a test of an object: what failed, in the same form.
  const bool has_findings = !report->items("findings").empty();
  const Json::Array& found = report->items(has_findings ? "findings" : "failures");
  if (found.size() < number)
    return Error{ErrorKind::bad_input, fmt::format("the report has no finding number {}", number),
                 remedy, file, 0};
  const Json& finding = found[number - 1];
  const Json* const schedule = has_findings ? finding.find("schedule") : &finding;
  const std::string text(schedule ? schedule->text("replay") : std::string_view());
  auto command = shell_words(text);
  while (command && !command->empty() && set_variable(command->front()))
    command->erase(command->begin());
  if (!command || command->empty()) {
    return Error{ErrorKind::bad_input, "the finding does not say how to replay it", remedy, file,
                 0};
  }
  return *command;
}

Status replay_finding(const std::string& file, const Settings& settings) {
  Result<std::vector<std::string>> command =
      command_in(file, static_cast<std::size_t>(settings.number));
  if (!command.ok()) return command.error();
  const char* const options = std::getenv("PLUMB_REPLAY");
  if (settings.debug && options != nullptr)
    setenv("PLUMB_REPLAY", (std::string(options) + " --debug").c_str(), 1);
  else if (settings.debug) command->emplace_back("--debug");
  std::vector<char*> argv;
  for (std::string& word : *command) argv.push_back(word.data());
  argv.push_back(nullptr);
  // "plumb test ..." is this program, wherever it is.
  const bool is_plumb = command->size() > 1 && (*command)[1] == "test" &&
                        std::filesystem::path(command->front()).filename() == "plumb";
  const std::string program = is_plumb ? "/proc/self/exe" : command->front();
  execv(program.c_str(), argv.data());
  return Error{ErrorKind::missing_file,
               fmt::format("{} could not be run: {}", program, std::strerror(errno)),
               "replay it where it was found", file, 0};
}

}  // namespace

ExitStatus run_replay(const Parsed& parsed) {
  return finish(replay_finding(parsed.arguments[0], parsed.settings));
}

}  // namespace plumb::cli
