// SPDX-License-Identifier: MIT
#include "cli/collect.hpp"

#include "base/shell.hpp"
#include "report/junit.hpp"
#include "report/markdown.hpp"

namespace plumb::cli {

Status Collected::open(const CommonArguments& a) {
  has_junit_ = !a.junit.empty();
  has_markdown_ = !a.markdown.empty();
  has_html_ = !a.html.empty();
  if (Status opened = junit_.open(a.junit); !opened.ok()) return opened;
  if (Status opened = markdown_.open(a.markdown, "a"); !opened.ok()) return opened;
  return html_.open(a.html);
}

Status Collected::write(const std::string& suite, double seconds) {
  if (has_junit_) junit_.write(report::junit(suite, suite, cases_, seconds));
  if (has_markdown_) markdown_.write(report::markdown(cases_));
  if (has_html_) html_.write(page_.text());
  for (Output* const output : {&junit_, &markdown_, &html_})
    if (Status written = output->flush(); !written.ok()) return written;
  return {};
}

std::string command_words(const CLI::App& app, const std::string& file, std::string_view but) {
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
