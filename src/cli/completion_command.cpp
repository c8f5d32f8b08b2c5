// SPDX-License-Identifier: MIT
// plumb completion bash|zsh: the script that completes plumb's command line, made from the options
// themselves. `cmake --install` puts it where the shells look.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <memory>

#include "base/text.hpp"
#include "cli/commands.hpp"
#include "cli/help_rows.hpp"
#include "plumb/formats.hpp"
#include "plumb/specification.hpp"
#include "session/help.hpp"

namespace plumb::cli {
namespace {

struct CompletedOption : HelpRow {
  bool is_file() const { return argument.find("FILE") != std::string::npos; }
  bool is_repeated() const { return help.find("may be repeated") != std::string::npos; }

  // What can be meant: "dfs|bfs" says it, and names that the library knows.
  std::vector<std::string> values() const {
    if (name == "--spec") {
      std::vector<std::string> names;
      for (const Specification* s : all_specifications()) names.push_back(s->name());
      return names;
    }
    if (name == "--format" || name == "--from")
      return {readable_formats().begin(), readable_formats().end()};
    if (name == "--to") return {writable_formats().begin(), writable_formats().end()};
    const auto is_upper = [](unsigned char c) { return std::isupper(c) != 0; };
    if (argument.find_first_of("|,") == std::string::npos ||
        std::any_of(argument.begin(), argument.end(), is_upper))
      return {};
    std::vector<std::string> values(1);
    for (const char c : argument) {
      if (c == '|' || c == ',') values.emplace_back();
      else values.back() += c;
    }
    return values;
  }
};

struct CompletedCommand {
  std::string name, help;
  std::vector<CompletedOption> options;
};

std::vector<CompletedOption> options_of(const CLI::App& app) {
  std::vector<CompletedOption> options;
  for (const CLI::Option* option : app.get_options()) {
    const bool is_flag = option->get_items_expected_max() == 0;
    const auto add = [&](const std::string& name) {
      options.push_back(
          {{name, is_flag ? "" : option->get_type_name(), option->get_description()}});
    };
    for (const std::string& name : option->get_snames()) add("-" + name);
    for (const std::string& name : option->get_lnames()) add("--" + name);
  }
  return options;
}

std::vector<CompletedCommand> commands_of(const CLI::App& root) {
  std::vector<CompletedCommand> commands;
  for (const CLI::App* app : root.get_subcommands([](const CLI::App*) { return true; })) {
    if (app->get_group().empty()) continue;  // hidden
    commands.push_back({app->get_name(), app->get_description(), options_of(*app)});
    if (app->get_name() != "test") continue;
    for (const char* text : {session::kObjectHelp, session::kHelp})
      for (HelpRow& row : rows_of(text)) commands.back().options.push_back({std::move(row)});
  }
  return commands;
}

std::string joined(const std::vector<std::string>& words, std::string_view by = " ") {
  return fmt::format("{}", fmt::join(words, by));
}

std::string names_of(const std::vector<CompletedOption>& options) {
  std::vector<std::string> names;
  for (const CompletedOption& option : options) names.push_back(option.name);
  return joined(names);
}

// ---- bash: file names where nothing else is known

std::string bash_script(const CLI::App& root) {
  const std::vector<CompletedCommand> commands = commands_of(root);
  std::string first, values, options;
  std::vector<std::string> files, unknown;
  for (const CompletedCommand& command : commands) {
    first += command.name + " ";
    options += fmt::format("      {}) words='{}' ;;\n", command.name, names_of(command.options));
    for (const CompletedOption& option : command.options) {
      if (option.argument.empty()) continue;
      const std::string where = fmt::format("'{} {}'", command.name, option.name);
      if (const auto known = option.values(); !known.empty())
        values += fmt::format("    {}) words='{}' ;;\n", where, joined(known));
      else (option.is_file() ? files : unknown).push_back(where);
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
      first + names_of(options_of(root)), values, joined(files, " | \\\n    "),
      joined(unknown, " | \\\n    "), options);
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

std::string zsh_option(const CompletedOption& option) {
  const std::string help = text::elide(option.help.substr(0, option.help.find(';')), 80);
  std::string spec = option.is_repeated() ? "*" : "";
  spec += option.name;
  // "--lru=" also takes the next word.
  if (!option.argument.empty() && option.name.starts_with("--")) spec += "=";
  spec += "[" + zsh_text(help, "[]\\") + "]";
  if (!option.argument.empty()) {
    const std::string known = joined(option.values());
    spec += ":" + zsh_text(option.argument, ":\\") + ":";
    if (known.empty()) spec += option.is_file() ? "_files" : " ";
    else
      spec += option.is_file() ? fmt::format("{{compadd -- {}; _files}}", known)
                               : fmt::format("({})", known);
  }
  return fmt::format("        '{}' \\\n", spec);
}

std::string zsh_script(const CLI::App& root) {
  std::string names, cases;
  for (const CompletedCommand& command : commands_of(root)) {
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
                     names, names_of(options_of(root)), cases);
}

}  // namespace

std::function<int()> add_completion_command(CLI::App& root) {
  const auto shell = std::make_shared<std::string>();
  CLI::App* app = root.add_subcommand("completion", "print the completion script of a shell");
  app->group("");  // for packages, not for daily use
  app->add_option("SHELL", *shell, "bash or zsh")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh"}));
  return [shell, &root] {
    std::fputs((*shell == "bash" ? bash_script(root) : zsh_script(root)).c_str(), stdout);
    return std::fflush(stdout) == 0 ? kHolds : static_cast<int>(ErrorKind::internal);
  };
}

}  // namespace plumb::cli
