// SPDX-License-Identifier: MIT
#include "session/watch.hpp"

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "base/resident.hpp"
#include "base/text.hpp"
#include "explore/make.hpp"
#include "explore/schedule.hpp"
#include "session/identity.hpp"
#include "session/team.hpp"

namespace plumb::session {

using lineup::Cut;
using lineup::CutBy;
using runtime::Board;
using runtime::SearchEnd;

double seconds_now() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

std::string no_schedule_text(const runtime::Finding& divergence) {
  return std::string(
             "--replay: not a schedule of this program, or the program is not "
             "deterministic (") +
         divergence.text + ")";
}

Cut why_cut(const Board& board) {
  return {board.result.progress.many_threads ? CutBy::threads : CutBy::steps};
}

Status Watch::open(const std::string& gtest, int call, const std::vector<std::string>& arguments) {
  gtest_ = gtest;
  call_ = call;
  std::string error;
  schedule_ = explore::parse_schedule(settings_.replay == "-" ? "" : settings_.replay, error)
                  .value_or(std::vector<std::uint8_t>());
  if (Status opened = replayer_.open(); !opened) return opened;
  Status opened = open_first();
  if (!opened || settings_.save.empty()) return opened;
  return save_.open(settings_.save, identity_of(settings_, gtest, call, arguments), board(), kept_);
}

Status Watch::open_first() {
  processes_.push_back(std::make_unique<Process>());
  Status opened = processes_.front()->open();
  if (!opened) return opened;
  board().unseen.watch_all = settings_.watch_all;
  board().unseen.by_effect = settings_.call_points;
  return opened;
}

Status Watch::open_like(const Watch& other, const std::atomic<bool>& stop) {
  gtest_ = other.gtest_;
  call_ = other.call_;
  begin_ = other.begin_;
  deadline_ = other.deadline_;
  stop_ = &stop;
  filter_.use(other.filter_.suppressions());
  if (Status opened = replayer_.open(); !opened) return opened;
  return open_first();
}

Process::How Watch::how(bool loud) const {
  Process::How how;
  how.call = call_;
  how.gtest = gtest_;
  how.loud = loud;
  how.on_history = on_history;
  return how;
}

void Watch::begin() {
  begin_ = seconds_now();
  deadline_ = settings_.timeout > 0 ? seconds_now() + settings_.timeout : 0;
  catcher_.emplace();
}

// What failed was found within the time limit, so that its search ends within it again.
void Watch::begin_evidence() {
  CatchInterrupt::forget();
  if (deadline_ != 0) deadline_ = seconds_now() + settings_.timeout;
}

void Watch::end_within(double seconds) {
  const double end = seconds_now() + seconds;
  deadline_ = deadline_ == 0 ? end : std::min(deadline_, end);
}

// A limit of 0 would be none.
lineup::JudgementLimits Watch::limits_left() const {
  lineup::JudgementLimits left;
  left.interrupt = &CatchInterrupt::flag();
  if (deadline_ != 0) left.seconds = std::max(deadline_ - seconds_now(), 1e-9);
  if (settings_.memory != 0) {
    const std::size_t all = settings_.memory << 20, others = descendants_resident_bytes();
    left.memory_bytes = all > others ? all - others : 1;
  }
  return left;
}

std::uint64_t Watch::peak_bytes() const {
  rusage usage{};
  getrusage(RUSAGE_CHILDREN, &usage);
  return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
}

void Watch::prepare(Board& board, Reuse reuse) const {
  runtime::Command& command = board.command;
  command.reset();
  board.result.reset();
  runtime::Options& o = command.options;
  o.plain = settings_.schedule_at == ScheduleAt::all       ? runtime::PlainPoints::all
            : settings_.schedule_at == ScheduleAt::atomics ? runtime::PlainPoints::none
                                                           : runtime::PlainPoints::some;
  o.reuse = reuse;
  // Where races are ignored, they are still looked for in order to know where to switch.
  o.races = !settings_.ignore.race || settings_.schedule_at == ScheduleAt::automatic;
  o.race_is_bad = !settings_.ignore.race;
  o.stuck_is_bad = !settings_.ignore.stuck;
  o.spurious = settings_.spurious;
  o.random_values = settings_.random_values;
  o.start_points = settings_.start_points;
  o.leaks = settings_.leaks;
  o.max_steps = settings_.max_steps;
  command.keep_going = settings_.keep_going;
  command.max_executions = settings_.max_executions;
  std::snprintf(command.points, sizeof command.points, "%s", settings_.sites.c_str());
  if (adjust) adjust(board);
}

lineup::CutBy Watch::limit_of(Ended ended) {
  switch (ended) {
    case Ended::timed_out: return CutBy::time;
    case Ended::out_of_memory: return CutBy::memory;
    case Ended::interrupted: return CutBy::interrupted;
    default: return CutBy::nothing;
  }
}

// --memory: this process and all that it started, together.
bool Watch::is_over_memory() const {
  if (settings_.memory == 0) return false;
  return resident_bytes() + descendants_resident_bytes() > settings_.memory << 20;
}

bool Watch::is_interrupted() const {
  return CatchInterrupt::was_interrupted() || (stop_ != nullptr && *stop_);
}

void Watch::report_progress() const {
  if (!on_progress) return;
  on_progress(seconds_now() - begin_, [this] {
    if (progress_words) return progress_words();
    std::uint64_t executions = 0;
    for (const auto& process : processes_)
      executions += process->board().result.progress.executions;
    return text::count_words(executions, "execution");
  });
}

// Looks at a process once. by_itself: it runs, or has said on the board how it ended.
Watch::Ended Watch::look(Process& process, Pulse& pulse) {
  Ended why = Ended::by_itself;
  if (process.poll()) {
    const double now = seconds_now();
    // What is known to hang is known sooner; to start takes as long as before.
    const runtime::Progress& its = process.board().result.progress;
    const bool has_begun = its.heartbeat + its.steps + its.executions > 0;
    const Pulse::Sign sign = pulse.look(process, now, has_begun ? patience() : settings_.hang);
    if (sign == Pulse::Sign::hangs) why = Ended::hung;
    if (sign == Pulse::Sign::stopped) why = Ended::stopped;
    if (deadline_ != 0 && now > deadline_) why = Ended::timed_out;
    if (is_over_memory()) why = Ended::out_of_memory;
    report_progress();
    if (is_interrupted()) why = Ended::interrupted;
    if (why != Ended::by_itself) process.kill();
  } else if (process.board().result.end == SearchEnd::running) {
    why = Ended::crashed;
  }
  if (why != Ended::by_itself) {
    ended_ = &process;
    status_ = process.status();
  }
  return why;
}

// Runs what the board says to its end.
Watch::Ended Watch::run(Process& process, const Process::How& how) {
  Board& board = process.board();
  board.result.end = SearchEnd::running;
  board.command.pause = board.result.progress.paused = false;
  std::optional<CatchInterrupt> catcher;
  if (!catcher_ && stop_ == nullptr) catcher.emplace();  // nobody else has
  if (const std::string error = process.start(how); !error.empty()) {
    board.result.set_broken(error.c_str());
    return Ended::by_itself;
  }
  Pulse pulse;
  for (long pause = 100'000; process.is_running();) {
    if (const Ended why = look(process, pulse); why != Ended::by_itself) return why;
    if (!process.is_running()) break;
    if (&process == processes_.front().get() && save_.tend(board)) pause = 100'000;
    process.wait(pause);
    if (pause < 10'000'000) pause *= 2;
  }
  return Ended::by_itself;
}

Watch::Ended Watch::run_divided(const Process::How& how, Cores& cores, double alone) {
  return Team(*this, how, cores, alone).run();
}

// A process that computes forever, or that a signal ends, may be wrong; or the cause is external,
// or the machine had no memory left. What the program does by itself it does again.
bool Watch::may_be_from_outside(Ended ended) const {
  return ended == Ended::hung || ended == Ended::stopped ||
         (ended == Ended::crashed && WIFSIGNALED(status_));
}

// SIGKILL proves no mistake: the kernel also sends it when memory runs out, and would do so again
// in a replay. (A process that hangs is killed by us; it has not crashed.)
bool Watch::was_killed(Ended ended) const {
  return ended == Ended::crashed && WIFSIGNALED(status_) && WTERMSIG(status_) == SIGKILL;
}

// How long nothing may happen. Once an execution has hung, twice, others that do are known sooner:
// shrinking a test would take minutes.
double Watch::patience() const { return has_hung_ ? settings_.hang / 10 : settings_.hang; }

std::string Watch::silence_text() const {
  char seconds[32];
  std::snprintf(seconds, sizeof seconds, "%g", patience());
  return std::string("nothing happened for ") + seconds +
         " s (a loop without accesses, or a system call that blocks)";
}

runtime::Finding Watch::why_it_ended(Ended ended) const {
  runtime::Finding finding;
  finding.kind = FindingKind::crash;
  char* const text = finding.text;
  constexpr std::size_t size = sizeof finding.text;
  if (ended == Ended::hung) {
    std::snprintf(text, size, "the execution hung: %s", silence_text().c_str());
  } else if (ended == Ended::stopped) {
    std::snprintf(text, size, "the process was stopped and not resumed for %g s", patience());
  } else if (WIFSIGNALED(status_)) {
    finding.signal = WTERMSIG(status_);
    std::snprintf(text, size, "the process was ended by signal %d (%s)", WTERMSIG(status_),
                  strsignal(WTERMSIG(status_)));
  } else {
    std::snprintf(text, size, "the program ended itself, with status %d", WEXITSTATUS(status_));
  }
  return finding;
}

namespace {

Cut cut_by_kill() {
  return Cut::because(
      "the process under test was killed (signal 9), perhaps because the system ran out of memory");
}

}  // namespace

// A process ended, or had to be ended. That is a finding; or, if it was killed, or its schedule
// does not show it again, the reason why the search was cut, which is returned.
Cut Watch::judge_end(Ended ended, Reuse heap) {
  if (was_killed(ended)) return cut_by_kill();
  Board& board = processes_.front()->board();
  const bool noted = board.result.findings.count > 0 && ended == Ended::crashed &&
                     WIFEXITED(status_) && WEXITSTATUS(status_) == runtime::kCrashed;
  if (noted) return {};
  std::string error;
  const auto strategy = explore::attach(ended_->board().strategy_memory(), error);
  if (strategy == nullptr) return Cut::because(error);
  Shown shown;
  shown.finding = why_it_ended(ended);
  const auto schedule = strategy->schedule();
  shown.schedule.assign(schedule.begin(), schedule.end());
  shown.heap = heap;
  if (may_be_from_outside(ended)) {
    const Ended again = show(shown, replayer_);
    if (const CutBy limit = limit_of(again); limit != CutBy::nothing) return {limit};
    if (!shown.replayed) {
      return Cut::because(std::string(shown.finding.text) +
                          ", not reproduced on replay; the cause is external");
    }
    shown_ends_.push_back(shown);
    has_hung_ = has_hung_ || ended == Ended::hung || ended == Ended::stopped;
  }
  if (board.result.progress.executions == 0 && schedule.empty() && ended == Ended::crashed) {
    board.result.set_broken(
        (std::string("the program ended before it came to its exploration again: ") +
         shown.finding.text)
            .c_str());
    return {};
  }
  board.result.findings.add(shown.finding, shown.schedule);
  return {};
}

std::vector<Shown> Watch::found(Reuse heap) const {
  std::vector<Shown> all;
  for (const runtime::KeptFinding& found : board().result.findings.kept()) {
    Shown shown;
    shown.finding = found.finding;
    shown.schedule.assign(found.schedule.begin(), found.schedule.begin() + found.choices);
    shown.complete = !found.too_long;
    shown.heap = heap;
    for (const Shown& known : shown_ends_) {
      if (known.finding.kind == shown.finding.kind && known.schedule == shown.schedule)
        shown = known;
    }
    all.push_back(std::move(shown));
  }
  return all;
}

// Runs the schedule of the finding once more, and keeps its steps. Without a finding: sees whether
// there is one.
Watch::Ended Watch::show(Shown& shown, Process& process) {
  Board& board = process.board();
  const Board& searched = processes_.front()->board();
  prepare(board, shown.heap);
  if (shown.finding.kind == FindingKind::race)
    board.command.sought = {shown.finding.here.pc[0], shown.finding.there.pc[0]};
  board.sites = searched.sites;
  board.suppressed = searched.suppressed;
  board.unseen = searched.unseen;
  board.command.options.tracing = true;
  board.command.max_executions = 1;
  explore::Options what;
  what.kind = explore::Kind::replay;
  what.schedule = shown.schedule;
  std::string error;
  board.result.set_broken("the schedule is too long to be run again");
  if (explore::make(what, board.strategy_memory(), error) == nullptr) return Ended::by_itself;
  if (settings_.debug) {
    board.result.set_broken(process.become_debugger(how(true)).c_str());
    return Ended::by_itself;
  }
  Process::How quietly = how(!settings_.replay.empty());
  shown.history.reset();
  quietly.on_history = [&shown](const HistoryRecord& record) { shown.history = record; };
  const Ended ended = run(process, quietly);
  const bool is_new = shown.finding.kind == FindingKind::none;
  if (board.result.findings.count > 0 &&
      (is_new || board.result.findings.all[0].finding.kind == shown.finding.kind)) {
    shown.finding = board.result.findings.all[0].finding;
    shown.replayed = true;
  }
  const bool is_bad = ended == Ended::crashed || ended == Ended::hung || ended == Ended::stopped;
  if (is_bad && !was_killed(ended)) {
    if (is_new && board.result.findings.count == 0) shown.finding = why_it_ended(ended);
    if (shown.finding.kind == FindingKind::crash) shown.replayed = true;
  }
  shown.trace.assign(board.trace(), board.trace() + board.result.trace_count);
  shown.object = board.result.object;
  shown.spinning = board.result.spinning;
  return ended;
}

ExplorationResult Watch::replay() {
  ExplorationResult outcome;
  outcome.executions = 1;
  Shown shown;
  shown.schedule = schedule_;
  shown.heap = heaps().front();
  Process& process = *processes_.front();
  Board& board = process.board();
  Ended ended = show(shown, process);
  while (drop_suppressed(ended, outcome.suppressed)) {
    shown.finding = {};
    shown.replayed = false;
    ended = show(shown, process);
  }
  if (was_killed(ended)) {
    outcome.cut = cut_by_kill();
  } else if (may_be_from_outside(ended)) {
    const runtime::Finding first = shown.finding;
    shown.replayed = false;
    ended = show(shown, process);
    if (!shown.replayed)
      outcome.cut = Cut::because(std::string(first.text) + ", but not on a second run");
  }
  const auto useless = [&outcome](ExitStatus status, std::string why) {
    outcome.status = status;
    outcome.reason = std::move(why);
    return outcome;
  };
  outcome.status = ExitStatus::undecided;
  if (const CutBy limit = limit_of(ended); limit != CutBy::nothing) outcome.cut = {limit};
  if (ended == Ended::interrupted) outcome.status = ExitStatus::interrupted;
  if (outcome.cut) return outcome;
  if (board.result.end == SearchEnd::broken)
    return useless(ExitStatus::internal, board.result.message);
  if (board.result.end == SearchEnd::unhooked) return useless(ExitStatus::internal, kUnhookedText);
  if (shown.finding.kind == FindingKind::divergence)
    return useless(ExitStatus::usage, no_schedule_text(shown.finding));
  outcome.findings.push_back(shown);
  if (shown.finding.kind != FindingKind::none) outcome.status = ExitStatus::violation;
  else if (board.result.progress.cut != 0) outcome.cut = why_cut(board);
  else outcome.status = ExitStatus::holds;
  return outcome;
}

}  // namespace plumb::session
