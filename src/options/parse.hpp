// SPDX-License-Identifier: MIT
// Words of a command line, by the table.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "options/settings.hpp"

namespace plumb::options {

/// An option as it was given.
struct Given {
  const Option* option;
  std::string value;  // of a flag: empty
};

struct Parsed {
  Settings settings;
  std::vector<std::string> arguments;  // what is no option, in order
  std::vector<Given> given;            // in order
  bool help = false;                   // --help or -h: nothing after it was looked at
};

/// Takes one option. Returns: empty, or what is wrong with it: "--jobs: '0' is not an integer from
/// 1 to 64".
std::string take(unsigned commands, std::string_view name, const Value& value, Settings& settings);

/// Adds to `parsed` what the words say: --name VALUE, --name=VALUE, -o VALUE; after -- there are no
/// options. Of an option that takes one value the last counts. Returns: empty, or what is wrong.
std::string parse(unsigned commands, std::span<const std::string> words, Parsed& parsed);

/// How many of the words from `at` on are an option of these commands with its value; 0: none.
std::size_t length_of_option(unsigned commands, std::span<const std::string> words, std::size_t at);

}  // namespace plumb::options
