// SPDX-License-Identifier: MIT
// --junit and --markdown: what was judged, for a server that collects it.
#pragma once

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

#include "cli/output.hpp"
#include "report/case.hpp"

namespace plumb::cli {

class Collected {
 public:
  /// Before any work is done. Empty: not asked for. Markdown is added to the end of its file, so
  /// that several commands can share one.
  Status open(const std::string& junit, const std::string& markdown);
  bool wanted() const { return has_junit_ || has_markdown_; }
  void add(report::Case one) { cases_.push_back(std::move(one)); }
  /// `suite`: "plumb check"
  Status write(const std::string& suite, double seconds);

 private:
  Output junit_, markdown_;
  bool has_junit_ = false, has_markdown_ = false;
  std::vector<report::Case> cases_;
};

/// The command that was given, for one of its files, without the options `but` and those that say
/// only where the report goes. Empty: it was read from standard input.
std::string command_words(const CLI::App& app, const std::string& file, std::string_view but = "");

}  // namespace plumb::cli
