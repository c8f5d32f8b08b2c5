// SPDX-License-Identifier: MIT
// Races that are no findings, for people.
#include <fmt/format.h>

#include "base/text.hpp"
#include "report/text_parts.hpp"

namespace plumb::report {

// Of a search that did not come to its end, it is not known that a line matches nothing.
std::string suppressions_text(const Report& report) {
  std::string text;
  for (const Suppression& one : report.suppressions) {
    const std::string line = fmt::format("{} ({}:{})", one.pattern, one.file, one.line);
    if (one.races > 0)
      text +=
          fmt::format("  {} suppressed by {}\n", text::count_words(one.races, "data race"), line);
    else if (report.verdict == Verdict::holds)
      text += fmt::format("  Warning: {} matched no data race\n", line);
  }
  return text;
}

std::string continue_text(const Finding& finding) {
  if (finding.kind != FindingKind::race) return {};
  const std::string line = finding.suppression.empty()
                               ? ""
                               : ", or --suppressions FILE with the line " + finding.suppression;
  return "  Continue: --ignore race" + line + "\n";
}

}  // namespace plumb::report
