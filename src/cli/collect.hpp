// SPDX-License-Identifier: MIT
// --junit, --markdown and --html: what was judged, for a server that collects it or a browser.
#pragma once

#include <string>
#include <vector>

#include "base/output_file.hpp"
#include "options/parse.hpp"
#include "report/case.hpp"
#include "report/html.hpp"

namespace plumb::cli {

class Collected {
 public:
  /// Before any work is done. Markdown is added to the end of its file, so that several commands
  /// can share one.
  Status open(const options::Settings& settings);
  bool wants_cases() const { return has_junit_ || has_markdown_; }
  bool wants_page() const { return has_html_; }
  void add(report::Case one) { cases_.push_back(std::move(one)); }
  report::HtmlPage& page() { return page_; }
  /// Whatever was asked for. `suite`: "plumb check"
  Status write(const std::string& suite, double seconds);

 private:
  OutputFile junit_, markdown_, html_;
  bool has_junit_ = false, has_markdown_ = false, has_html_ = false;
  std::vector<report::Case> cases_;
  report::HtmlPage page_;
};

/// The command that was given, for one of its files, without the options `but` and those that say
/// only where the report goes. Empty: it was read from standard input.
std::string command_words(const options::Parsed& parsed, std::string_view command,
                          const std::string& file, std::string_view but = "");

}  // namespace plumb::cli
