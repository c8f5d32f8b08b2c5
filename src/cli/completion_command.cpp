// SPDX-License-Identifier: MIT
// plumb completion bash|zsh: the script that completes plumb's command line, made from the table of
// options. `cmake --install` puts it where the shells look.
#include <fmt/format.h>

#include <cstdio>

#include "base/text.hpp"
#include "cli/commands.hpp"

namespace plumb::cli {
namespace {

using options::CommandLine;
using options::Option;

// A name by which an option can be given.
struct CompletedOption {
  std::string name;
  const Option* option;  // null: --help and the like
  bool has_value() const { return option != nullptr && !option->is_flag(); }
};

struct CompletedCommand {
  std::string name, help;
  std::vector<CompletedOption> options;
};

std::vector<CompletedCommand> commands_of_plumb() {
  std::vector<CompletedCommand> commands;
  for (const CommandLine& line : options::all_commands()) {
    if (line.is_hidden) continue;
    commands.push_back({std::string(line.name), std::string(line.help), {}});
    std::vector<CompletedOption>& all = commands.back().options;
    all = {{"-h", nullptr}, {"--help", nullptr}};
    for (const Option* option : options::options_of(line.commands)) {
      if (option->group == options::Group::hidden) continue;
      all.push_back({std::string(option->name), option});
      if (!option->alias.empty()) all.push_back({std::string(option->alias), option});
    }
  }
  return commands;
}

constexpr char kOptionsOfPlumb[] = "-h --help --version";

std::string joined(const std::vector<std::string>& words, std::string_view by = " ") {
  return fmt::format("{}", fmt::join(words, by));
}

std::string names_of(const std::vector<CompletedOption>& options) {
  std::vector<std::string> names;
  for (const CompletedOption& option : options) names.push_back(option.name);
  return joined(names);
}

// ---- bash: file names where nothing else is known

std::string bash_script() {
  std::string first, values, options;
  std::vector<std::string> files, unknown;
  for (const CompletedCommand& command : commands_of_plumb()) {
    first += command.name + " ";
    options += fmt::format("      {}) words='{}' ;;\n", command.name, names_of(command.options));
    for (const CompletedOption& option : command.options) {
      if (!option.has_value()) continue;
      const std::string where = fmt::format("'{} {}'", command.name, option.name);
      if (const auto known = option.option->values(); !known.empty())
        values += fmt::format("    {}) words='{}' ;;\n", where, joined(known));
      else (option.option->takes.is_file ? files : unknown).push_back(where);
    }
  }
  return fmt::format(
      R"(# Completion of plumb for bash, made by: plumb completion bash
_plumb() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD - 1]}} words=
  # --option=value comes as three words.
  if [[ $word == = ]]; then
    word=
  elif [[ $before == = ]]; then
    before=${{COMP_WORDS[COMP_CWORD - 2]}}
  fi
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then
    words='{}'
  else case "${{COMP_WORDS[1]}} $before" in
{}    {})
      return ;;
    {})
      compopt +o default 2> /dev/null
      return ;;
    *) [[ $word != -* ]] || case ${{COMP_WORDS[1]}} in
{}    esac ;;
  esac fi
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
}}
complete -o default -F _plumb plumb
)",
      first + kOptionsOfPlumb, values, joined(files, " | \\\n    "), joined(unknown, " | \\\n    "),
      options);
}

// ---- zsh: by its function _arguments

std::string zsh_text(std::string_view text, std::string_view special) {
  std::string out;
  for (const char c : text) {
    if (c == '\'') out += "'\\'";
    else if (special.find(c) != special.npos) out += '\\';
    out += c;
  }
  return out;
}

std::string zsh_option(const CompletedOption& completed) {
  if (completed.option == nullptr)
    return fmt::format("        '{}[print this help]' \\\n", completed.name);
  const Option& option = *completed.option;
  const std::string help(text::elide(option.help.substr(0, option.help.find(';')), 80));
  std::string spec = (option.is_repeated ? "*" : "") + completed.name;
  // "--lru=" also takes the next word.
  if (completed.has_value() && completed.name.starts_with("--")) spec += "=";
  spec += "[" + zsh_text(help, "[]\\") + "]";
  if (completed.has_value()) {
    const std::string known = joined(option.values());
    spec += ":" + zsh_text(option.takes.argument, ":\\") + ":";
    if (known.empty()) spec += option.takes.is_file ? "_files" : " ";
    else
      spec += option.takes.is_file ? fmt::format("{{compadd -- {}; _files}}", known)
                                   : fmt::format("({})", known);
  }
  return fmt::format("        '{}' \\\n", spec);
}

std::string zsh_script() {
  std::string names, cases;
  for (const CompletedCommand& command : commands_of_plumb()) {
    names += fmt::format("      '{}:{}'\n", command.name, zsh_text(command.help, ":"));
    cases += fmt::format("    {})\n      _arguments -S \\\n", command.name);
    for (const CompletedOption& option : command.options) cases += zsh_option(option);
    cases += "        '*:file:_files' ;;\n";
  }
  return fmt::format(R"(#compdef plumb
# Completion of plumb for zsh, made by: plumb completion zsh
_plumb() {{
  if ((CURRENT == 2)); then
    local -a commands=(
{})
    _describe command commands
    compadd -- {}
    return
  fi
  shift words
  ((CURRENT--))
  case $words[1] in
{}  esac
}}
if [[ $funcstack[1] == _plumb ]]; then _plumb "$@"; else compdef _plumb plumb; fi
)",
                     names, kOptionsOfPlumb, cases);
}

}  // namespace

ExitStatus run_completion(const Parsed& parsed) {
  const std::string& shell = parsed.arguments[0];
  if (shell != "bash" && shell != "zsh")
    return finish(Error{ErrorKind::usage,
                        fmt::format("SHELL: '{}' is not one of: bash, zsh", shell),
                        "see plumb completion --help"});
  std::fputs((shell == "bash" ? bash_script() : zsh_script()).c_str(), stdout);
  return std::fflush(stdout) == 0 ? ExitStatus::holds : ExitStatus::internal;
}

}  // namespace plumb::cli
