// SPDX-License-Identifier: MIT
// --help, of the commands and of a program under test, by the table.
#pragma once

#include <string>
#include <string_view>

#include "options/option.hpp"

namespace plumb::options {

/// The options of these commands, by group.
std::string options_help(unsigned commands);
/// `plumb check --help`
std::string command_help(const CommandLine& command);
/// `plumb --help`
std::string program_help(std::string_view footer);

/// "-o,--output FILE"
std::string option_words(const Option& option);
/// A row of two columns, the second wrapped.
std::string help_row(std::string_view left, std::string_view right);

}  // namespace plumb::options
