// SPDX-License-Identifier: MIT
#include "cli/collect.hpp"

#include <fmt/format.h>

#include <utility>

#include "base/shell.hpp"
#include "report/junit.hpp"
#include "report/markdown.hpp"

namespace plumb::cli {

Status Collected::open(const options::Settings& settings) {
  has_junit_ = !settings.junit.empty();
  has_markdown_ = !settings.markdown.empty();
  has_html_ = !settings.html.empty();
  if (Status opened = junit_.open(settings.junit); !opened.ok()) return opened;
  if (Status opened = markdown_.open(settings.markdown, OutputFile::Mode::append); !opened.ok())
    return opened;
  return html_.open(settings.html);
}

Status Collected::write(const std::string& suite, double seconds) {
  const auto put = [](OutputFile& file, const std::string& text) {
    file.write(text);
    return file.commit();
  };
  Status written;
  const auto also = [&written](Status next) {
    if (written.ok()) written = std::move(next);
  };
  if (has_junit_) also(put(junit_, report::junit(suite, suite, cases_, seconds)));
  if (has_markdown_) also(put(markdown_, report::markdown(cases_)));
  if (has_html_ && !page_.empty()) also(put(html_, page_.text()));
  return written;
}

std::string command_words(const options::Parsed& parsed, std::string_view command,
                          const std::string& file, std::string_view but) {
  if (file == "-") return {};
  std::string words = fmt::format("plumb {} {}", command, shell_word(file));
  for (const auto& [option, value] : parsed.given) {
    if (option->group == options::Group::output || option->name == but) continue;
    words += fmt::format(" {}", option->name);
    if (!option->is_flag()) words += (value.starts_with('-') ? "=" : " ") + shell_word(value);
  }
  return words;
}

}  // namespace plumb::cli
