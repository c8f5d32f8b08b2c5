// SPDX-License-Identifier: MIT
// plumb replay REPORT.json: runs the execution of a finding once more.
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/commands.hpp"

namespace plumb::cli {
namespace {

struct ReplayArguments {
  std::string report;
  std::size_t number = 1;
  bool debug = false;
};

Result<std::vector<std::string>> command_in(const ReplayArguments& a) {
  std::ifstream in(a.report);
  if (!in) return Error{ErrorKind::missing_file, "there is no such file", "", a.report, 0};
  const nlohmann::json report = nlohmann::json::parse(in, nullptr, false);
  const char* const remedy = "a report is what plumb test --json prints";
  if (report.is_discarded() || !report.is_object()) {
    return Error{ErrorKind::bad_input, "this is not a report", remedy, a.report, 0};
  }
  const auto findings = report.value("findings", nlohmann::json::array());
  if (!findings.is_array() || findings.size() < a.number || a.number == 0) {
    return Error{ErrorKind::bad_input, fmt::format("the report has no finding number {}", a.number),
                 remedy, a.report, 0};
  }
  const auto& finding = findings[a.number - 1];
  const auto schedule =
      finding.is_object() ? finding.value("schedule", nlohmann::json::object()) : nlohmann::json();
  if (!schedule.is_object() || !schedule.contains("replay") || !schedule["replay"].is_string()) {
    return Error{ErrorKind::bad_input, "the finding does not say how to replay it", remedy,
                 a.report, 0};
  }
  std::istringstream words(schedule["replay"].get<std::string>());
  std::vector<std::string> command;
  for (std::string word; words >> word;) command.push_back(word);
  if (a.debug) command.emplace_back("--debug");
  return command;
}

Status replay(const ReplayArguments& a) {
  Result<std::vector<std::string>> command = command_in(a);
  if (!command.ok()) return command.error();
  std::vector<char*> argv;
  for (std::string& word : *command) argv.push_back(word.data());
  argv.push_back(nullptr);
  // "plumb test ..." is this program, wherever it is.
  const std::string program = command->front() == "plumb" ? "/proc/self/exe" : command->front();
  execv(program.c_str(), argv.data());
  return Error{ErrorKind::missing_file,
               fmt::format("{} could not be run: {}", command->front(), std::strerror(errno)),
               "replay it where it was found", a.report, 0};
}

}  // namespace

std::function<int()> add_replay_command(CLI::App& root) {
  const auto arguments = std::make_shared<ReplayArguments>();
  CLI::App* app = root.add_subcommand("replay", "run the execution of a finding of test once more");
  app->add_option("REPORT", arguments->report, "what plumb test --json printed")->required();
  app->add_option("--number", arguments->number, "which finding, counted from 1; default: 1");
  app->add_flag("--debug", arguments->debug, "in gdb, which stops at the finding");
  return [arguments] {
    const Status done = replay(*arguments);
    if (done.ok()) return kHolds;
    print_error(done.error());
    return static_cast<int>(done.error().kind);
  };
}

}  // namespace plumb::cli
