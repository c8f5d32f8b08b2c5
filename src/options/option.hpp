// SPDX-License-Identifier: MIT
// Every option of every command, once: options/table.def is the table, and all else comes from it:
// the settings that the commands read (settings.hpp), parsing (parse.hpp), --help of the program
// and of a program under test (help.hpp), the completions of the shells, the manual page, and the
// options of the C++ API, which are looked up here by their names. A new option is a row in the
// table and the place that uses it. (The idea is CaDiCaL's.)
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace plumb::options {

struct Settings;

/// Who has an option; several are joined by |. `plumb test` has those of three: its own, and the
/// ones that the program under test understands.
enum Command : unsigned {
  check = 1,
  verify = 2,
  build = 4,    // plumb test itself, which compiles
  explore = 8,  // a program under test
  object = 16,  // one that tests an object
  convert = 32,
  replay = 64,
  report = 128,
  completion = 256,
};
inline constexpr unsigned kTest = build | explore | object;
inline constexpr unsigned kDeciding = check | verify | explore;

/// In the order of --help.
enum class Group { program, what, tests, schedules, how, limits, output, hidden };
std::string_view title(Group group);

/// Two numbers: "3x3", "1/4".
struct Pair {
  int first = 0, second = 0;
  bool operator==(const Pair&) const = default;
};

/// Names that the library knows.
enum class Names { none, specifications, readable_formats, writable_formats };

/// What follows an option.
struct Takes {
  std::string_view argument = {};  // as --help shows it; empty: nothing follows, it is a flag
  std::string_view choices = {};   // "dfs|bfs": one of these; completed by the shells
  Names names = Names::none;       // the same, of names that the library knows
  bool any_text = true;            // with names: something else is possible, too
  bool is_file = false;
  bool is_read = false;  // a file that is never written
  std::int64_t low = 0;  // of an integer
  std::uint64_t high = std::numeric_limits<std::uint64_t>::max();
  char between = 0;               // of a pair
  std::string_view example = {};  // of a pair
};
inline constexpr Takes flag() { return {}; }
inline constexpr Takes integer(std::string_view argument, std::int64_t low,
                               std::uint64_t high = std::numeric_limits<std::uint64_t>::max()) {
  return {.argument = argument, .low = low, .high = high};
}
inline constexpr Takes seconds() { return {.argument = "SECONDS"}; }
inline constexpr Takes text(std::string_view argument) { return {.argument = argument}; }
inline constexpr Takes file(std::string_view argument = "FILE") {
  return {.argument = argument, .is_file = true};
}
inline constexpr Takes input_file() {
  return {.argument = "FILE", .is_file = true, .is_read = true};
}
inline constexpr Takes choice(std::string_view choices) {
  return {.argument = choices, .choices = choices};
}
inline constexpr Takes choice(std::string_view argument, std::string_view choices) {
  return {.argument = argument, .choices = choices};
}
inline constexpr Takes format(Names names) {
  return {.argument = "FORMAT", .names = names, .any_text = false};
}
inline constexpr Takes specification(std::string_view argument, bool is_file) {
  return {
      .argument = argument, .names = Names::specifications, .is_file = is_file, .is_read = true};
}
inline constexpr Takes pair(std::string_view argument, char between, std::string_view example) {
  return {.argument = argument, .between = between, .example = example};
}

/// What was given: nothing, a word of a command line, or, by the C++ API, what it means.
using Value = std::variant<std::monostate, std::string_view, std::int64_t, double, Pair>;

struct Option {
  std::string_view name;   // "--output"
  std::string_view alias;  // "-o"; empty: none
  unsigned commands;
  Group group;
  Takes takes;
  std::string_view help;
  bool is_repeated;  // each adds a value
  /// Returns: empty, or what would be right: "an integer from 1 to 64".
  std::string (*read)(const Takes& takes, const Value& value, Settings& settings);
  /// Its value; empty: a flag that was not given, no text, or a number outside its range, which
  /// stands for none.
  std::string (*show)(const Takes& takes, const Settings& settings);

  bool is_flag() const { return takes.argument.empty(); }
  /// What can be meant, if that is known.
  std::vector<std::string> values() const;
  /// What it does and its default.
  std::string full_help() const;
};

/// All of them, as in the table.
std::span<const Option> all_options();
/// Those of a command, or of several, by group.
std::vector<const Option*> options_of(unsigned commands);
/// By its name or its alias. Null: there is none.
const Option* find_option(unsigned commands, std::string_view name);

/// What a command is called and what it takes besides options.
struct CommandLine {
  unsigned commands;
  std::string_view name, help;
  struct Argument {
    std::string_view name, help;
    bool is_repeated = false;
  } arguments[2];
  bool is_hidden = false;
};
std::span<const CommandLine> all_commands();

}  // namespace plumb::options
