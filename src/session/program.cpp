// SPDX-License-Identifier: MIT
#include "session/program.hpp"

#include <unistd.h>

#include <cstdlib>
#include <span>
#include <string_view>
#include <vector>

#include "base/shell.hpp"
#include "options/parse.hpp"

namespace plumb::session {
namespace {

std::string own_path() {
  char path[4096];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
  return length < 0 ? "PROGRAM" : std::string(path, static_cast<std::size_t>(length));
}

}  // namespace

bool is_run_by_plumb() { return std::getenv("PLUMB_PROGRAM") != nullptr; }

std::string own_command() {
  const char* const given = std::getenv("PLUMB_PROGRAM");
  return given != nullptr ? given : shell_word(own_path());
}

std::string own_name() {
  if (const char* given = std::getenv("PLUMB_NAME")) return given;
  const std::string path = own_path();
  return path.substr(path.find_last_of('/') + 1);
}

// plumb test has put the command together: [CXX=...] plumb test FILE --flag=... --link=...
report::ProgramSource own_source() {
  report::ProgramSource source;
  source.file = own_path();
  if (!is_run_by_plumb()) return source;
  std::vector<std::string> words = shell_words(own_command()).value_or(std::vector<std::string>());
  constexpr std::string_view kCompiler = "CXX=";
  if (!words.empty() && words[0].starts_with(kCompiler)) {
    source.compiler = words[0].substr(kCompiler.size());
    words.erase(words.begin());
  }
  if (words.size() < 3) return source;
  source.file = words[2];
  options::Parsed parsed;
  options::parse(options::build, std::span(words).subspan(3), parsed);
  source.flags = parsed.settings.flag;
  source.link = parsed.settings.link;
  source.target = parsed.settings.target;
  source.compile_commands = parsed.settings.compile_commands;
  return source;
}

report::Replay replay_by(const std::string& command, const std::string& options) {
  report::Replay replay{command, {}};
  options::Parsed parsed;
  options::parse(options::kTest, shell_words(options).value_or(std::vector<std::string>()), parsed);
  for (const options::Given& given : parsed.given)
    replay.options.emplace_back(given.option->name.substr(2), given.value);
  return replay;
}

}  // namespace plumb::session
