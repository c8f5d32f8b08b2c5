// SPDX-License-Identifier: MIT
#include "options/help.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace plumb::options {
namespace {

constexpr std::size_t kLeft = 28, kWidth = 88;  // columns

}  // namespace

std::string help_row(std::string_view left, std::string_view right) {
  std::string out = fmt::format("  {}", left);
  std::size_t column = out.size();
  if (column + 2 > kLeft) {
    out += '\n';
    column = 0;
  }
  out.append(kLeft - column, ' ');
  column = kLeft;
  bool is_first = true;
  while (!right.empty()) {
    const std::string_view word = right.substr(0, right.find(' '));
    right.remove_prefix(std::min(word.size() + 1, right.size()));
    if (!is_first && column + 1 + word.size() > kWidth) {
      out += '\n' + std::string(kLeft, ' ');
      column = kLeft;
    } else if (!is_first) {
      out += ' ';
      ++column;
    }
    is_first = false;
    out += word;
    column += word.size();
  }
  return out + '\n';
}

std::string option_words(const Option& option) {
  const bool is_short = option.alias.size() == 2;
  std::string words(is_short ? option.alias : option.name);
  if (!option.alias.empty()) words += fmt::format(",{}", is_short ? option.name : option.alias);
  return option.is_flag() ? words : fmt::format("{} {}", words, option.takes.argument);
}

std::string options_help(unsigned commands) {
  std::string out;
  Group group = Group::hidden;
  for (const Option* option : options_of(commands)) {
    if (option->group == Group::hidden) continue;
    if (option->group != group) out += fmt::format("\n{}:\n", title(option->group));
    group = option->group;
    out += help_row(option_words(*option), option->full_help());
  }
  return out;
}

std::string command_help(const CommandLine& command) {
  std::string synopsis, arguments;
  for (const CommandLine::Argument& argument : command.arguments) {
    if (argument.name.empty()) continue;
    synopsis += fmt::format(" {}{}", argument.name, argument.is_repeated ? "..." : "");
    arguments += help_row(argument.name, argument.help);
  }
  return fmt::format("plumb {}: {}\n\nUsage: plumb {}{} [OPTIONS]\n{}{}\nOther:\n{}", command.name,
                     command.help, command.name, synopsis, arguments,
                     options_help(command.commands), help_row("-h,--help", "print this help"));
}

std::string program_help(std::string_view footer) {
  std::string commands;
  for (const CommandLine& command : all_commands())
    if (!command.is_hidden) commands += help_row(command.name, command.help);
  return fmt::format(
      "Is this concurrent object linearizable?\n\nUsage: plumb SUBCOMMAND [OPTIONS]\n\n"
      "Subcommands:\n{}\nOptions:\n{}{}\n{}\n",
      commands, help_row("-h,--help", "print this help"),
      help_row("--version", "print the version"), footer);
}

}  // namespace plumb::options
