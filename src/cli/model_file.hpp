// SPDX-License-Identifier: MIT
// Models as arguments: plumb verify FILE, plumb check --spec FILE.plumb, and --set.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/exit_status.hpp"
#include "cli/watchdog.hpp"
#include "model/code/program.hpp"
#include "options/parse.hpp"
#include "plumb/result.hpp"

namespace plumb::cli {

/// `-` is standard input. Under the limits, because a pipe may keep us waiting; the time that it
/// took is taken off them. Returns: `holds`, or the exit status: what is wrong was printed.
ExitStatus read_model(const std::string& file, Limits& limits, std::string& text);

/// --set NAME=VALUE, or --set NAME=LOW..HIGH.
struct Setting {
  std::string name;
  std::int64_t low = 0, high = 0;
};
Result<std::vector<Setting>> read_settings(const std::vector<std::string>& given);

/// Every combination of the values, the last name running fastest; an error if they are too many.
Result<std::vector<model::Settings>> combinations(const std::vector<Setting>& settings);

/// Refuses to write a model that it names. Returns: `holds`, or the exit status: what is wrong was
/// printed.
ExitStatus compile_model(const options::Parsed& parsed, const std::string& file,
                         const std::string& text, const model::Settings& settings,
                         std::optional<model::Program>& program);

}  // namespace plumb::cli
