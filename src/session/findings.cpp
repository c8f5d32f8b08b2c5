// SPDX-License-Identifier: MIT
#include "session/findings.hpp"

#include <csignal>
#include <cstdio>
#include <utility>

#include "base/shell.hpp"
#include "explore/schedule.hpp"
#include "report/waits.hpp"
#include "session/steps.hpp"
#include "session/unseen_code.hpp"

namespace plumb::session {

using runtime::Place;
using runtime::TraceStep;

std::string reason_text(const lineup::Cut& cut) {
  using lineup::CutBy;
  switch (cut.by) {
    case CutBy::time: return "time limit reached";
    case CutBy::memory: return "memory limit reached";
    case CutBy::executions: return "--max-executions reached";
    case CutBy::steps: return "executions were cut at --max-steps";
    case CutBy::threads:
      return "executions had more than " + std::to_string(explore::kMaxThreads) +
             " threads, the limit of the explorer";
    case CutBy::interrupted: return "interrupted";
    case CutBy::depth: return "an execution had too many choices to keep";
    case CutBy::nothing:
    case CutBy::other: break;
  }
  return cut.text;
}

StopReason stop_reason(const lineup::Cut& cut) {
  using lineup::CutBy;
  switch (cut.by) {
    case CutBy::nothing: return StopReason::none;
    case CutBy::time: return StopReason::time_limit;
    case CutBy::memory: return StopReason::memory_limit;
    case CutBy::interrupted: return StopReason::interrupted;
    case CutBy::executions:
    case CutBy::steps:
    case CutBy::threads:
    case CutBy::depth: return StopReason::search_limit;
    case CutBy::other: break;
  }
  return cut.stopped;
}

std::string circumstances(const Settings& settings) {
  std::string options;
  if (settings.schedule_at == ScheduleAt::all) options += " --schedule-at all";
  if (settings.schedule_at == ScheduleAt::atomics) options += " --schedule-at atomics";
  if (settings.spurious) options += " --spurious";
  if (settings.random_values != Settings().random_values)
    options += " --random-values " + std::to_string(settings.random_values);
  if (settings.start_points) options += " --start-points";
  if (settings.ignore.race) options += " --ignore race";
  if (settings.ignore.stuck) options += " --ignore deadlock";
  if (!settings.suppressions.empty())
    options += " --suppressions " + shell_word(settings.suppressions);
  if (settings.leaks) options += " --leaks";
  if (settings.max_steps != Settings().max_steps)
    options += " --max-steps " + std::to_string(settings.max_steps);
  if (settings.hang != Settings().hang) {
    char seconds[32];
    std::snprintf(seconds, sizeof seconds, " --hang %g", settings.hang);
    options += seconds;
  }
  return options;
}

namespace {

std::string replay_options(const Shown& shown, const Settings& settings,
                           const runtime::Board& board, const Symbols& symbols) {
  std::string options = "--replay " +
                        (shown.schedule.empty() ? "-" : explore::to_text(shown.schedule)) +
                        " --heap " + std::string(to_string(shown.heap)) + circumstances(settings);
  std::string points;
  for (const void* const pc : board.sites.all())
    points += (points.empty() ? "" : ",") + symbols.relative(pc);
  if (board.unseen.watch_all) options += " --watch-all";
  if (board.unseen.by_effect) options += " --call-points";
  if (!points.empty()) options += " --sites " + shell_word(points);
  return options;
}

// The other access of a race is known by its instruction; the calls that led there are in the
// trace.
Place whole_stack(const Shown& shown, Place place) {
  for (const TraceStep& step : shown.trace) {
    if (step.thread == place.thread && step.place.depth > 0 && step.place.pc[0] == place.pc[0])
      return step.place;
  }
  return place;
}

report::Interleaving interleaving_of(const Shown& shown, const Settings& settings,
                                     const runtime::Board& board, const Symbols& symbols,
                                     const ReplayCommand& replay) {
  report::Interleaving made;
  made.names = shown.names;
  add_steps(shown, symbols, made);
  if (shown.is_serial) made.steps.clear();  // there is no interleaving to be shown
  made.schedule = shown.schedule;
  made.schedule_text = explore::to_text(shown.schedule);
  made.heap = shown.heap;
  made.complete = shown.complete;
  made.replay = replay(replay_options(shown, settings, board, symbols));
  return made;
}

std::string signal_name(int signal) {
  switch (signal) {
    case 0: return {};
    case SIGSEGV: return "SIGSEGV";
    case SIGBUS: return "SIGBUS";
    case SIGFPE: return "SIGFPE";
    case SIGILL: return "SIGILL";
    case SIGABRT: return "SIGABRT";
    case SIGTRAP: return "SIGTRAP";
    case SIGSYS: return "SIGSYS";
    case SIGKILL: return "SIGKILL";
    case SIGTERM: return "SIGTERM";
    case SIGALRM: return "SIGALRM";
    case SIGPIPE: return "SIGPIPE";
    default: return "signal " + std::to_string(signal);
  }
}

// A line of --suppressions for what is done here: by the function, or by the line if that has no
// name.
std::string suppression_of(const std::vector<Frame>& frames) {
  for (const Frame& frame : frames) {
    if (is_of_library(frame)) continue;
    const std::string function = frame.function.substr(0, frame.function.find('('));
    const bool has_name = !function.empty() && !function.ends_with("operator");
    return "race:" + (has_name ? function : report::Frame{"", frame.file, frame.line}.place());
  }
  return {};
}

report::Finding finding_of(const Shown& shown, const Settings& settings,
                           const runtime::Board& board, const Symbols& symbols,
                           const ReplayCommand& replay) {
  report::Finding made;
  made.kind = shown.finding.kind;
  made.message = shown.finding.text;
  made.signal = signal_name(shown.finding.signal);
  if (made.kind == FindingKind::divergence)
    made.message +=
        ": the code depends on something else, such as time, addresses, or what an earlier "
        "execution left in a library or a file";
  made.here = stack_of(shown.finding.here, symbols);
  if (made.kind == FindingKind::race)
    made.suppression = suppression_of(symbols.frames(shown.finding.here.pc[0]));
  made.there = stack_of(whole_stack(shown, shown.finding.there), symbols);
  made.replayed = shown.replayed;
  made.interleaving = interleaving_of(shown, settings, board, symbols, replay);
  if (made.kind == FindingKind::deadlock)
    if (std::string waits = report::waits_words(made.interleaving); !waits.empty())
      made.message = std::move(waits);
  return made;
}

report::ExploreScope scope_of(const ExplorationResult& outcome, const Settings& settings,
                              const runtime::Board& board) {
  report::ExploreScope scope;
  scope.executions = outcome.executions;
  scope.histories = outcome.histories;
  scope.points_added = board.sites.count;
  scope.stages = outcome.stages;
  scope.cpu_seconds = outcome.cpu_seconds;
  scope.assumed_spin_wait = board.remarks.guessed;
  scope.wrote_prior_heap = board.remarks.wrote_prior_heap;
  scope.is_replay = !settings.replay.empty();
  return scope;
}

void set_verdict(report::Report& report, const ExplorationResult& outcome) {
  report.interrupted = outcome.interrupted || outcome.status == ExitStatus::interrupted;
  switch (outcome.status) {
    case ExitStatus::holds: report.verdict = Verdict::holds; break;
    case ExitStatus::violation: report.verdict = Verdict::violation; break;
    case ExitStatus::undecided:
    case ExitStatus::interrupted:
      report.stopped = stop_reason(outcome.cut);
      report.reason = reason_text(outcome.cut);
      break;
    default: report.error = static_cast<ErrorKind>(outcome.status); report.reason = outcome.reason;
  }
}

}  // namespace

report::Finding make_finding(const Shown& shown, const Settings& settings,
                             const runtime::Board& board, const ReplayCommand& replay) {
  return finding_of(shown, settings, board, symbols_of({&shown}, board), replay);
}

report::Interleaving make_interleaving(const Shown& shown, const Settings& settings,
                                       const runtime::Board& board, const ReplayCommand& replay) {
  return interleaving_of(shown, settings, board, symbols_of({&shown}, board), replay);
}

report::Report exploration_report(const ExplorationResult& outcome, const Settings& settings,
                                  const runtime::Board& board, const ReplayCommand& replay,
                                  const std::string& name) {
  std::vector<const Shown*> all;
  for (const Shown& shown : outcome.findings) all.push_back(&shown);
  const Symbols symbols = symbols_of(all, board);

  report::Report report;
  report.command = report::Command::test;
  report.file = name;
  report.property = "explored";
  set_verdict(report, outcome);
  for (const Shown& shown : outcome.findings) {
    if (outcome.status != ExitStatus::violation) {  // a replay that shows nothing wrong
      report.evidence.what = interleaving_of(shown, settings, board, symbols, replay);
      continue;
    }
    report.findings.push_back(finding_of(shown, settings, board, symbols, replay));
    if (shown.complete && report.replay.empty())
      report.replay = report.findings.back().interleaving.replay.command;
  }
  report.scope = scope_of(outcome, settings, board);
  report.unseen = unseen_code(board);
  if (board.remarks.guessed) report.notes.emplace_back(report::kSpinWaitNote);
  if (board.remarks.wrote_prior_heap)
    report.notes.emplace_back("memory that was allocated before the exploration was written to");
  report.seconds = outcome.seconds;
  report.peak_bytes = outcome.peak_bytes;
  return report;
}

}  // namespace plumb::session
