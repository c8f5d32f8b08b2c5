// SPDX-License-Identifier: MIT
// plumb test of a body, for people.
#include <fmt/format.h>

#include <set>

#include "base/text.hpp"
#include "report/finding_words.hpp"
#include "report/text_parts.hpp"

namespace plumb::report {
namespace {

// Each kind once.
std::string headlines(const std::vector<Finding>& findings) {
  std::string text;
  std::set<FindingKind> kinds;
  for (const Finding& finding : findings) {
    if (!kinds.insert(finding.kind).second) continue;
    text += (text.empty() ? "" : ", ") + finding_words(finding);
  }
  return text;
}

std::string stages_text(const ExploreScope& scope) {
  std::string text;
  for (const ExploreScope::Stage& stage : scope.stages)
    text += fmt::format("  {}{}: {} executions, freed memory {}\n", stage.schedules,
                        stage.complete ? "" : ", not all of them",
                        text::count_words(stage.executions), reuse_words(stage.heap));
  return text;
}

std::string answer(const Report& report) {
  switch (report.verdict) {
    case Verdict::holds: return "nothing found";
    case Verdict::violation: return headlines(report.findings);
    case Verdict::undecided: break;
  }
  return report.stopped == StopReason::time_limit ? "no violation found before the time limit"
                                                  : "no violation found: " + report.reason;
}

}  // namespace

ReportText explore_text(const Report& report, const ExploreScope& scope) {
  if (report.error) return {"", report.file + ": " + report.reason, ""};
  ReportText text{verdict_word(report.verdict), "", ""};
  text.message = fmt::format("{}: {} ({}, {:.2f} s)", report.file, answer(report),
                             text::count_words(scope.executions, "execution"), report.seconds);
  if (report.verdict != Verdict::violation) text.body += stages_text(scope);
  if (report.verdict == Verdict::holds && scope.assumed_spin_wait && !scope.is_replay)
    text.body += fmt::format("  ({})\n", kSpinWaitNote);
  text.body += unseen_text(report) + suppressions_text(report);
  if (const auto* const shown = std::get_if<Interleaving>(&report.evidence.what))
    text.body += interleaving_text(*shown);
  for (const Finding& finding : report.findings) {
    const Interleaving& shown = finding.interleaving;
    text.body += finding_text(finding) + interleaving_text(shown);
    if (!scope.is_replay && shown.complete)
      text.body += "\n  Replay: " + shown.replay.command + "\n" + continue_text(finding);
  }
  if (scope.wrote_prior_heap) {
    text.body +=
        "\n  Warning: the code writes to memory that was allocated before the exploration began "
        "(by "
        "a global's constructor, or\n"
        "  by main), which is not put back between executions. Allocate it in the body.\n";
  }
  return text;
}

}  // namespace plumb::report
