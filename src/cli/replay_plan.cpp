// SPDX-License-Identifier: MIT
#include "cli/replay_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string_view>

#include "base/compiler_driver.hpp"
#include "base/json_reader.hpp"
#include "base/read_text.hpp"
#include "base/shell.hpp"
#include "cli/commands.hpp"

namespace plumb::cli {
namespace fs = std::filesystem;
namespace {

constexpr const char* kReportRemedy = "a report is what plumb test --json prints";

// Those that say which execution it is, and how it is judged and run; none writes a file.
constexpr std::string_view kReplayOptions[] = {
    "test",   "classic",   "spec",         "observations", "allow-nondeterminism",
    "quasi",  "serial",    "relaxation",   "compare",      "preemptions",
    "replay", "heap",      "schedule-at",  "spurious",     "random-values",
    "ignore", "leaks",     "start-points", "max-steps",    "hang",
    "sites",  "watch-all", "call-points",  "suppressions"};

Error not_a_report(const std::string& report, std::string what) {
  return Error{ErrorKind::bad_input, std::move(what), kReportRemedy, report, 0};
}

bool consists_of(std::string_view text, std::string_view more) {
  return !text.empty() && std::ranges::all_of(text, [more](unsigned char c) {
    return std::isalnum(c) != 0 || more.find(static_cast<char>(c)) != more.npos;
  });
}

// A flag that can do no more than say where headers are, what a macro is, which C++ it is, and how
// well it is optimised.
bool is_harmless_flag(std::string_view flag) {
  if (flag.size() < 2) return false;
  const std::string_view rest = flag.substr(2);
  if (flag.starts_with("-I") || flag.starts_with("-D")) return !rest.empty();
  if (flag.starts_with("-O")) return rest.empty() || consists_of(rest, "");
  return flag.starts_with("-std=") && consists_of(flag.substr(5), "+");
}

bool is_harmless_link(std::string_view word) {
  if (word.starts_with("-l")) return consists_of(word.substr(2), "_.+-");
  return word.size() > 2 && word.starts_with("-L");
}

// Nothing: it is no list of texts.
std::optional<std::vector<std::string>> texts_of(const Json* json) {
  if (json == nullptr || !json->items()) return std::nullopt;
  std::vector<std::string> texts;
  for (const Json& item : *json->items()) {
    if (!item.text()) return std::nullopt;
    texts.push_back(*item.text());
  }
  return texts;
}

Status take_program(const Json& program, const std::string& report, ReplayPlan& plan) {
  plan.test.file = program.text("file");
  plan.compiler = program.text("compiler");
  const auto flags = texts_of(program.find("flags")), link = texts_of(program.find("link"));
  if (plan.test.file.empty() || !flags || !link)
    return not_a_report(report, "the report does not say what to build");
  plan.test.flags = *flags;
  plan.test.link = *link;
  plan.test.target = program.text("target");
  plan.test.compile_commands = program.text("compile_commands");
  const char* const remedy = "run the replay command that the report shows, if you trust it";
  for (const std::string& flag : *flags)
    if (!is_harmless_flag(flag))
      return Error{ErrorKind::bad_input,
                   fmt::format("a replay takes the flags -I, -D, -std and -O, not '{}'", flag),
                   remedy, report, 0};
  for (const std::string& word : *link)
    if (!is_harmless_link(word))
      return Error{ErrorKind::bad_input,
                   fmt::format("a replay links by -l and -L, not by '{}'", word), remedy, report,
                   0};
  const Json* const call = program.find("call");
  if (call == nullptr) return {};
  const auto arguments = texts_of(program.find("arguments"));
  if (!call->count() || *call->count() == 0 || *call->count() > 1'000'000 || !arguments)
    return not_a_report(report, "the report does not say which call is replayed");
  plan.call = static_cast<int>(*call->count());
  plan.test.options = *arguments;
  return {};
}

Status take_options(const Json* options, const std::string& report, ReplayPlan& plan) {
  const Json::Object* const members = options == nullptr ? nullptr : options->members();
  if (members == nullptr || options->text("replay").empty())
    return not_a_report(report, "the finding does not say how to replay it");
  for (const auto& [name, value] : *members) {
    if (std::ranges::find(kReplayOptions, name) == std::end(kReplayOptions))
      return Error{ErrorKind::bad_input, fmt::format("--{} is no option of a replay", name),
                   kReportRemedy, report, 0};
    const std::string word = "--" + std::string(name);
    const auto several = texts_of(&value);
    if (value.text()) plan.options.push_back(word + "=" + *value.text());
    else if (value.flag() && *value.flag()) plan.options.push_back(word);
    else if (!several)
      return not_a_report(report, fmt::format("{} has no text as its value", word));
    for (const std::string& text : several.value_or(std::vector<std::string>()))
      plan.options.push_back(word + "=" + text);
  }
  return {};
}

bool is_within(const fs::path& path, const fs::path& folder) {
  return std::mismatch(folder.begin(), folder.end(), path.begin(), path.end()).first ==
         folder.end();
}

// All that is read or run and has a name of its own.
std::vector<std::string> paths_of(const ReplayPlan& plan) {
  std::vector<std::string> paths = {plan.test.file};
  for (const auto* const words : {&plan.test.flags, &plan.test.link})
    for (const std::string& word : *words)
      if (word.starts_with("-I") || word.starts_with("-L")) paths.push_back(word.substr(2));
  if (!plan.test.compile_commands.empty()) paths.push_back(plan.test.compile_commands);
  for (const std::string_view name : {"--observations=", "--suppressions="})
    for (const std::string& option : plan.options)
      if (option.starts_with(name)) paths.push_back(option.substr(name.size()));
  return paths;
}

}  // namespace

Result<ReplayPlan> read_replay_plan(const std::string& report, std::size_t number) {
  const Result<std::string> written = read_text(report, kLargestReport);
  if (!written.ok()) return written.error();
  const std::optional<Json> json = parse_json(*written);
  if (!json || !json->is_object()) return not_a_report(report, "this is not a report");
  // Of a test of an object: what failed, in the same form.
  const bool has_findings = !json->items("findings").empty();
  const Json::Array& found = json->items(has_findings ? "findings" : "failures");
  if (found.size() < number)
    return not_a_report(report, fmt::format("the report has no finding number {}", number));
  const Json* const program = json->find("program");
  if (program == nullptr)
    return Error{ErrorKind::bad_input, "the report does not say what to build",
                 "an older plumb wrote it: run its replay command, if you trust it, or write the "
                 "report again",
                 report, 0};
  ReplayPlan plan;
  if (const Status taken = take_program(*program, report, plan); !taken.ok()) return taken.error();
  const Json& finding = found[number - 1];
  const Json* const schedule = has_findings ? finding.find("schedule") : &finding;
  const Json* const options = schedule == nullptr ? nullptr : schedule->find("options");
  if (const Status taken = take_options(options, report, plan); !taken.ok()) return taken.error();
  return plan;
}

Status check_folders(const ReplayPlan& plan, const std::string& report) {
  std::error_code failed;
  const fs::path here = fs::current_path(failed);
  const fs::path around = fs::weakly_canonical(fs::absolute(report, failed), failed).parent_path();
  for (const std::string& path : paths_of(plan)) {
    const fs::path whole = fs::weakly_canonical(fs::absolute(path, failed), failed);
    if (!failed && (is_within(whole, fs::canonical(here, failed)) || is_within(whole, around)))
      continue;
    return Error{ErrorKind::usage,
                 fmt::format("{} is neither in the folder of the report nor in this one", path),
                 "--trust replays it nevertheless", report, 0};
  }
  const std::optional<std::string> text = contents(plan.test.file);
  if (!is_source(plan.test.file) && text &&
      !text->starts_with("\x7f"
                         "ELF"))
    return Error{ErrorKind::usage, fmt::format("{} is a script", plan.test.file),
                 "--trust replays it nevertheless", report, 0};
  return {};
}

std::string describe(const ReplayPlan& plan) {
  const auto words = [](const std::vector<std::string>& all) {
    std::string text;
    for (const std::string& word : all) text += " " + shell_word(word);
    return text;
  };
  std::string text;
  if (is_source(plan.test.file))
    text += "  builds" + words({plan.test.file}) + words(plan.test.flags) + words(plan.test.link) +
            (plan.test.target.empty() ? "" : " with target " + shell_word(plan.test.target)) +
            (plan.compiler.empty() ? "" : ", found with CXX=" + shell_word(plan.compiler)) + "\n";
  text += "  runs" + words({plan.test.file}) + words(plan.test.options) + " with" +
          words(plan.options) + "\n";
  for (char& c : text)
    if (c != '\n' && static_cast<unsigned char>(c) < 0x20) c = '?';  // a terminal would obey it
  return text;
}

}  // namespace plumb::cli
