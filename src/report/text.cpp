// SPDX-License-Identifier: MIT
// What a reader wants to know, in the order in which they want it: the verdict; what happened; why
// it is wrong; how sure we are and what was looked at.
#include "report/text.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "report/colour.hpp"
#include "report/text_parts.hpp"

namespace plumb::report {

std::string verdict_word(Verdict verdict) {
  return verdict == Verdict::holds       ? "HOLDS"
         : verdict == Verdict::violation ? "VIOLATION"
                                         : "UNDECIDED";
}

std::string styled(std::string text, const TextStyle& style) {
  text = text::for_terminal(text);
  if (style.colour) text = coloured(text);
  return style.ascii ? text::to_ascii(text) : text;
}

ReportText report_text(const Report& report, const TextStyle& style) {
  if (const auto* const scope = report.check()) return check_text(report, *scope, style);
  if (const auto* const scope = report.model()) return model_text(report, *scope, style);
  if (const auto* const scope = report.exploration()) return explore_text(report, *scope);
  return campaign_text(report, *report.campaign());
}

std::string text_report(const Report& report, const TextStyle& style) {
  const ReportText text = report_text(report, style);
  const std::string verdict = text.verdict.empty() ? ""
                              : report.command == Command::test
                                  ? text.verdict + "  "
                                  : fmt::format("{:<9}  ", text.verdict);
  return styled(verdict + text.message + "\n" + (style.verdict_only ? "" : text.body), style);
}

}  // namespace plumb::report
