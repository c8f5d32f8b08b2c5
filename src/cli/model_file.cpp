// SPDX-License-Identifier: MIT
#include "cli/model_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <memory>
#include <utility>

#include "base/text.hpp"
#include "cli/commands.hpp"
#include "model/code/read_file.hpp"
#include "options/files.hpp"

namespace plumb::cli {
namespace {

constexpr std::size_t kMostCombinations = 1000;
constexpr std::int64_t kMost = 1'000'000'000;

bool read_number(const std::string& word, std::int64_t& value) {
  const char* const end = word.data() + word.size();
  const auto [stopped, error] = std::from_chars(word.data(), end, value);
  return error == std::errc{} && stopped == end && value > -kMost && value < kMost;
}

}  // namespace

ExitStatus read_model(const std::string& file, Limits& limits, std::string& text) {
  // The thread may outlive this call.
  const auto read = std::make_shared<std::optional<Result<std::string>>>();
  std::atomic<bool> stop{false};
  Limits reading = limits;
  reading.patient = false;  // there is nothing to save yet
  const Watched watched = watch(
      reading, stop, [read, file] { *read = model::read_file(file); }, [](double) {});
  if (!watched.finished) {
    print_error(cut_while_reading(watched.cut, file));
    return status_of_cut(watched.cut);
  }
  if (!(*read)->ok()) return finish((*read)->error());
  text = std::move(***read);
  constexpr double kLeast = 1e-3;
  if (limits.timeout_seconds > 0)
    limits.timeout_seconds = std::max(limits.timeout_seconds - watched.seconds, kLeast);
  return ExitStatus::holds;
}

Result<std::vector<Setting>> read_settings(const std::vector<std::string>& given) {
  std::vector<Setting> settings;
  for (const std::string& word : given) {
    const std::size_t equals = word.find('='), dots = word.find("..");
    Setting s;
    bool good = equals != std::string::npos && equals > 0;
    if (good && dots == std::string::npos) {
      good = read_number(word.substr(equals + 1), s.low);
      s.high = s.low;
    } else if (good) {
      good = dots > equals && read_number(word.substr(equals + 1, dots - equals - 1), s.low) &&
             read_number(word.substr(dots + 2), s.high) && s.low <= s.high;
    }
    if (!good)
      return Error{ErrorKind::usage,
                   fmt::format("--set {} is neither NAME=VALUE nor NAME=LOW..HIGH", word),
                   "for example --set K=4, or --set N=2..6; values are integers"};
    s.name = word.substr(0, equals);
    settings.push_back(std::move(s));
  }
  return settings;
}

Result<std::vector<model::Settings>> combinations(const std::vector<Setting>& settings) {
  std::vector<model::Settings> all = {{}};
  for (const Setting& s : settings) {
    std::vector<model::Settings> next;
    if (all.size() * static_cast<std::size_t>(s.high - s.low + 1) > kMostCombinations)
      return Error{ErrorKind::usage, "--set gives too many combinations",
                   fmt::format("at most {}", kMostCombinations)};
    for (const model::Settings& before : all)
      for (std::int64_t value = s.low; value <= s.high; ++value) {
        next.push_back(before);
        next.back().emplace_back(s.name, value);
      }
    all = std::move(next);
  }
  return all;
}

ExitStatus compile_model(const Parsed& parsed, const std::string& file, const std::string& text,
                         const model::Settings& settings, std::optional<model::Program>& program) {
  std::vector<std::string> named;
  const auto read_named = [&named](const std::string& other) {
    named.push_back(other);
    return model::read_named_file(other);
  };
  model::Compiled compiled = model::compile(text, settings, {file == "-" ? "" : file, read_named});
  if (Status apart = options::check_files(parsed, named); !apart.ok()) return finish(apart);
  if (!compiled.program) {
    // Not print_error(): this error has several lines.
    const std::string name = text::file_words(file);
    print_message("plumb: " + model::to_string(compiled.diagnostic, name, text));
    return ExitStatus::bad_input;
  }
  if (!compiled.unknown_setting.empty()) {
    print_error({ErrorKind::usage,
                 fmt::format("--set {}: the model has no such constant", compiled.unknown_setting),
                 "see its const declarations", file});
    return ExitStatus::usage;
  }
  program = std::move(compiled.program);
  return ExitStatus::holds;
}

}  // namespace plumb::cli
