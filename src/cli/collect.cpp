// SPDX-License-Identifier: MIT
#include "cli/collect.hpp"

#include "report/junit.hpp"
#include "report/markdown.hpp"
#include "session/shell.hpp"

namespace plumb::cli {

Status Collected::open(const std::string& junit, const std::string& markdown) {
  has_junit_ = !junit.empty();
  has_markdown_ = !markdown.empty();
  if (Status opened = junit_.open(junit); !opened.ok()) return opened;
  return markdown_.open(markdown, "a");
}

Status Collected::write(const std::string& suite, double seconds) {
  if (has_junit_) junit_.write(report::junit(suite, suite, cases_, seconds));
  if (has_markdown_) markdown_.write(report::markdown(cases_));
  if (Status written = junit_.flush(); !written.ok()) return written;
  return markdown_.flush();
}

std::string command_words(const CLI::App& app, const std::string& file, std::string_view but) {
  using session::shell_word;
  if (file == "-") return {};
  std::string words = "plumb " + app.get_name() + " " + shell_word(file);
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_lnames().empty() || option->get_group() == "Output") continue;
    const std::string name = "--" + option->get_lnames().front();
    if (name == but) continue;
    for (const std::string& value : option->results()) {
      words += " " + name;
      if (option->get_items_expected_max() == 0) continue;  // a flag
      words += (value.starts_with('-') ? "=" : " ") + shell_word(value);
    }
  }
  return words;
}

}  // namespace plumb::cli
