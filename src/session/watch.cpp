// SPDX-License-Identifier: MIT
#include "session/watch.hpp"

#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "explore/dfs.hpp"
#include "explore/make.hpp"
#include "explore/schedule.hpp"

namespace plumb::session {

using runtime::Board;
using runtime::FindingKind;
using runtime::Result;
using runtime::Reuse;

namespace {

double seconds_now() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

volatile sig_atomic_t interrupted = 0;
void on_interrupt(int) { interrupted = 1; }

// While it lives, an interrupt is noted instead of ending this process.
class CatchInterrupt {
 public:
  CatchInterrupt() {
    struct sigaction action {};
    action.sa_handler = on_interrupt;
    sigaction(SIGINT, &action, &old_);
  }
  ~CatchInterrupt() { sigaction(SIGINT, &old_, nullptr); }

 private:
  struct sigaction old_ {};
};

const char* name_of(Reuse reuse) {
  switch (reuse) {
    case Reuse::kNever: return "quarantine";
    case Reuse::kFifo: return "fifo";
    case Reuse::kLifo: return "lifo";
  }
  return "?";
}

Reuse reuse_of(const std::string& heap) {
  return heap == "fifo" ? Reuse::kFifo : heap == "lifo" ? Reuse::kLifo : Reuse::kNever;
}

runtime::Finding why_it_ended(bool hung, int status, double seconds) {
  runtime::Finding finding;
  finding.kind = FindingKind::kCrash;
  if (hung) {
    std::snprintf(finding.text, sizeof finding.text,
                  "the execution hung: nothing happened for %g seconds (a loop without accesses, "
                  "or a system call "
                  "that blocks)",
                  seconds);
  } else if (WIFSIGNALED(status)) {
    std::snprintf(finding.text, sizeof finding.text, "the process was ended by signal %d (%s)",
                  WTERMSIG(status), strsignal(WTERMSIG(status)));
  } else {
    std::snprintf(finding.text, sizeof finding.text, "the program ended itself, with status %d",
                  WEXITSTATUS(status));
  }
  return finding;
}

// What a search that is kept in a file must agree with: this program, and what was asked of it.
std::uint64_t identity_of(const Settings& s) {
  struct stat program {};
  stat("/proc/self/exe", &program);
  std::uint64_t hash = 14695981039346656037ull;
  const auto add = [&hash](std::uint64_t word) { hash = (hash ^ word) * 1099511628211ull; };
  add(static_cast<std::uint64_t>(program.st_size));
  add(static_cast<std::uint64_t>(program.st_mtim.tv_sec));
  add(static_cast<std::uint64_t>(program.st_mtim.tv_nsec));
  for (const std::uint64_t word :
       {std::uint64_t(s.strategy), std::uint64_t(s.schedule_at), std::uint64_t(s.heap),
        std::uint64_t(s.preemptions), s.max_steps, s.seed, std::uint64_t(s.spurious),
        std::uint64_t(s.start_points), std::uint64_t(s.ignore_race), std::uint64_t(s.ignore_stuck),
        std::uint64_t(s.leaks), std::uint64_t(s.keep_going)}) {
    add(word);
  }
  return hash;
}

bool pause_a_little(long& nanoseconds) {
  const timespec pause{0, nanoseconds};
  nanosleep(&pause, nullptr);
  if (nanoseconds < 10'000'000) nanoseconds *= 2;
  return true;
}

}  // namespace

std::string Watch::open(const char* gtest) {
  gtest_ = gtest == nullptr ? "" : gtest;
  call_ = next_call(gtest_);
  processes_.push_back(std::make_unique<Process>());
  if (std::string error = processes_.front()->open(settings_.save, kept_); !error.empty())
    return error;
  Board& board = processes_.front()->board();
  if (kept_ && board.identity != identity_of(settings_)) {
    return settings_.save +
           " keeps the search of another program, or with other options; remove it to begin anew";
  }
  board.identity = identity_of(settings_);
  return {};
}

Process::How Watch::how(bool loud) const { return {call_, gtest_, loud, on_history}; }

void Watch::prepare(Board& board, Reuse reuse) const {
  runtime::Options& o = board.options;
  o = {};
  o.plain = settings_.schedule_at == ScheduleAt::kAll       ? runtime::PlainPoints::kAll
            : settings_.schedule_at == ScheduleAt::kAtomics ? runtime::PlainPoints::kNone
                                                            : runtime::PlainPoints::kSome;
  o.reuse = reuse;
  // Where races are ignored, they are still looked for in order to know where to switch.
  o.races = !settings_.ignore_race || settings_.schedule_at == ScheduleAt::kAuto;
  o.race_is_bad = !settings_.ignore_race;
  o.stuck_is_bad = !settings_.ignore_stuck;
  o.spurious = settings_.spurious;
  o.start_points = settings_.start_points;
  o.leaks = settings_.leaks;
  o.max_steps = settings_.max_steps;
  board.tracing = false;
  board.keep_going = settings_.keep_going;
  board.max_executions = settings_.max_executions;
  board.executions = 0;
  board.steps = 0;
  board.stuck = 0;
  board.cut = 0;
  board.histories = 0;
  board.found_count = 0;
  board.pause = false;
  std::snprintf(board.points, sizeof board.points, "%s", settings_.points.c_str());
}

// Runs what the board says to its end.
Watch::Ended Watch::run(const Process::How& how) {
  Process& process = *processes_.front();
  Board& board = process.board();
  board.result = Result::kRunning;
  if (const std::string error = process.start(how); !error.empty()) {
    std::snprintf(board.message, sizeof board.message, "%s", error.c_str());
    board.result = Result::kBroken;
    return Ended::kByItself;
  }
  const CatchInterrupt catcher;
  std::uint64_t last = ~std::uint64_t{0};
  double last_change = seconds_now();
  for (long pause = 100'000; process.poll(); pause_a_little(pause)) {
    const double now = seconds_now();
    const std::uint64_t progress = board.steps + board.executions + board.heartbeat;
    if (progress != last) {
      last = progress;
      last_change = now;
    }
    Ended why = Ended::kByItself;
    if (deadline_ != 0 && now > deadline_) why = Ended::kTimedOut;
    if (now - last_change > settings_.hang) why = Ended::kHung;
    if (interrupted != 0) why = Ended::kInterrupted;
    if (why == Ended::kByItself) continue;
    process.kill();
    return why;
  }
  status_ = process.status();
  return board.result == Result::kRunning ? Ended::kCrashed : Ended::kByItself;
}

// Several processes on one depth-first search. Who has nothing left gets half of what another has
// not yet begun; that one is asked to wait between two executions while it is divided.
Watch::Ended Watch::run_workers(const Process::How& how) {
  const auto jobs = static_cast<std::size_t>(std::clamp(settings_.jobs, 1, 64));
  Board& first = processes_.front()->board();
  while (processes_.size() < jobs) {
    auto process = std::make_unique<Process>();
    bool kept = false;
    if (!process->open({}, kept).empty()) break;
    processes_.push_back(std::move(process));
  }
  for (std::size_t i = 1; i < processes_.size(); ++i) {
    Board& board = processes_[i]->board();
    prepare(board, first.options.reuse);
    board.site_count = first.site_count;
    board.sites = first.sites;
  }
  const CatchInterrupt catcher;
  first.result = Result::kRunning;
  if (!processes_.front()->start(how).empty()) return Ended::kCrashed;
  Ended why = Ended::kByItself;
  std::string error;
  for (long pause = 100'000; why == Ended::kByItself; pause_a_little(pause)) {
    std::uint64_t executions = 0;
    bool any = false;
    for (const auto& process : processes_) {
      const bool was_running = process->is_running();
      const bool runs = process->poll();
      any |= runs;
      executions += process->board().executions;
      if (!was_running || runs) continue;
      const Result result = process->board().result;
      if (result == Result::kRunning) {
        why = Ended::kCrashed;
        status_ = process->status();
      }
      if (result != Result::kExhausted) any = false;
      if (result != Result::kExhausted) break;
    }
    if (!any) break;
    if (deadline_ != 0 && seconds_now() > deadline_) why = Ended::kTimedOut;
    if (interrupted != 0) why = Ended::kInterrupted;
    if (executions >= settings_.max_executions) {
      first.result = Result::kLimit;
      break;
    }
    for (const auto& idle : processes_) {
      if (idle->is_running()) continue;
      // The one that has run longest has most to give, as far as one can tell.
      for (const auto& busy : processes_) {
        if (!busy->is_running()) continue;
        Board& from = busy->board();
        from.pause = true;
        while (!from.paused && busy->poll()) {
          const timespec moment{0, 20'000};
          nanosleep(&moment, nullptr);
        }
        bool given = false;
        if (from.paused) {
          const auto strategy = explore::attach(from.strategy_memory(), error);
          auto* const dfs = dynamic_cast<explore::Dfs*>(strategy.get());
          given = dfs != nullptr && dfs->split(idle->board().strategy_memory());
        }
        from.paused = false;
        from.pause = false;
        if (!given) continue;
        idle->board().resume = false;
        idle->board().result = Result::kRunning;
        idle->start(how);
        break;
      }
    }
  }
  for (const auto& process : processes_) process->kill();
  // The first board stands for all of them.
  for (std::size_t i = 1; i < processes_.size(); ++i) {
    Board& board = processes_[i]->board();
    first.executions += board.executions;
    first.steps += board.steps;
    first.cut += board.cut;
    first.histories = std::max<std::uint64_t>(first.histories, board.histories);
    for (std::uint32_t f = 0; f < board.found_count; ++f) {
      const runtime::Found& found = board.found[f];
      first.add(found.finding, {found.schedule.data(), found.choices});
    }
    const Result result = board.result;
    if (result != Result::kExhausted && result != Result::kRunning) first.result = result;
    if (result == Result::kMoreSites) {
      first.site_count = board.site_count;
      first.sites = board.sites;
    }
    board.executions = 0;
    board.steps = 0;
    board.found_count = 0;
  }
  return why;
}

// Runs one search to its end, however often it has to be begun anew because plain accesses were
// seen to race. Returns why it was cut, or nothing.
std::string Watch::run_stage(const Plan& plan, bool resume, Outcome& outcome) {
  explore::Options what;
  Stage stage;
  stage.heap = name_of(plan.reuse);
  const bool is_random =
      plan.how == Plan::kPct || plan.how == Plan::kPos || plan.how == Plan::kRandom;
  const bool workers = settings_.jobs > 1 && plan.how == Plan::kDfs && settings_.preemptions < 0;
  if (plan.how == Plan::kDpor) {
    what.kind = explore::Kind::kDpor;
    stage.name = "all schedules, by partial-order reduction";
  } else if (is_random) {
    const bool pct = plan.how == Plan::kPct, pos = plan.how == Plan::kPos;
    what.kind = pct ? explore::Kind::kPct : pos ? explore::Kind::kPos : explore::Kind::kRandom;
    what.random.seed = settings_.seed;
    what.random.runs = settings_.max_executions;
    stage.name = std::string("random schedules (") +
                 (pct   ? "pct"
                  : pos ? "pos"
                        : "uniform") +
                 ", seed " + std::to_string(settings_.seed) + ")";
  } else if (settings_.preemptions < 0) {
    stage.name = "all schedules";
  } else {
    what.dfs.first_bound = 0;
    what.dfs.last_bound = static_cast<std::uint32_t>(settings_.preemptions);
    stage.name =
        "all schedules with at most " + std::to_string(settings_.preemptions) + " preemptions";
  }
  Board& board = processes_.front()->board();
  std::string cut;
  std::string error;
  for (bool again = true; again;) {
    again = false;
    if (!resume) {
      prepare(board, plan.reuse);
      if (explore::make(what, board.strategy_memory(), error) == nullptr) return error;
    }
    if (!resume) board.crashed = false;
    board.resume = resume;
    const Ended ended = workers ? run_workers(how(false)) : run(how(false));
    const auto strategy = explore::attach(board.strategy_memory(), error);
    if (strategy == nullptr) return error;
    if (ended == Ended::kTimedOut) cut = "time";
    if (ended == Ended::kInterrupted) cut = "interrupted";
    if (ended == Ended::kHung || ended == Ended::kCrashed) {
      const int status = status_;
      const bool noted =
          board.found_count > 0 && WIFEXITED(status) && WEXITSTATUS(status) == runtime::kCrashed;
      const runtime::Finding why = why_it_ended(ended == Ended::kHung, status, settings_.hang);
      if (!noted) board.add(why, strategy->schedule());
      if (board.executions == 0 && strategy->schedule().empty() && !noted &&
          ended == Ended::kCrashed) {
        board.result = Result::kBroken;
        std::snprintf(board.message, sizeof board.message,
                      "the program ended before it came to its exploration again: %s", why.text);
      } else if (settings_.keep_going && !workers) {
        again = resume = board.crashed = true;
        continue;
      }
    }
    switch (board.result.load()) {
      case Result::kRunning:
      case Result::kFinding: break;
      case Result::kExhausted: stage.complete = cut.empty(); break;
      case Result::kLimit:
        if (is_random) stage.complete = true;
        else cut = "executions";
        break;
      case Result::kMoreSites:
        again = true;
        resume = false;
        break;
      case Result::kUnhooked:
        outcome.status = Outcome::kUnusable;
        outcome.reason =
            "no access of the program was seen: compile the code under test with -fsanitize=thread "
            "(link without it)";
        break;
      case Result::kBroken:
        outcome.status = Outcome::kUnusable;
        outcome.reason = board.message;
        break;
    }
    const explore::StateHead& head = strategy->head();
    stage.executions +=
        board.found_count > 0 || workers ? board.executions.load() : head.executions;
    stage.steps += board.steps;
    stage.pruned += head.pruned;
    if (stage.complete && board.cut != 0) cut = "steps", stage.complete = false;
    if (stage.complete && head.overflows != 0) cut = "depth", stage.complete = false;
  }
  if (outcome.status != Outcome::kUnusable) {
    for (std::uint32_t i = 0; i < board.found_count; ++i) {
      const runtime::Found& found = board.found[i];
      Shown shown;
      shown.finding = found.finding;
      shown.schedule.assign(found.schedule.begin(), found.schedule.begin() + found.choices);
      shown.complete = !found.too_long;
      shown.heap = stage.heap;
      outcome.findings.push_back(shown);
      outcome.status = Outcome::kFinding;
    }
  }
  outcome.executions += stage.executions;
  outcome.histories = std::max<std::uint64_t>(outcome.histories, board.histories);
  outcome.stages.push_back(stage);
  return cut;
}

// Runs the schedule of the finding once more, and keeps its steps.
void Watch::show(Shown& shown) {
  Board& board = processes_.front()->board();
  prepare(board, reuse_of(shown.heap));
  board.tracing = true;
  board.options.tracing = true;
  board.trace_count = 0;
  board.max_executions = 1;
  board.resume = false;
  explore::Options what;
  what.kind = explore::Kind::kReplay;
  what.schedule = shown.schedule;
  std::string error;
  if (explore::make(what, board.strategy_memory(), error) == nullptr) return;
  if (settings_.debug) {
    const std::string failed = processes_.front()->become_debugger(how(true));
    std::snprintf(board.message, sizeof board.message, "%s", failed.c_str());
    board.result = Result::kBroken;
    return;
  }
  Process::How quietly = how(!settings_.replay.empty());
  quietly.on_history = nullptr;
  const Ended ended = run(quietly);
  const bool is_new = shown.finding.kind == FindingKind::kNone;
  if (board.found_count > 0 && (is_new || board.found[0].finding.kind == shown.finding.kind)) {
    shown.finding = board.found[0].finding;
    shown.replayed = true;
  }
  if (ended == Ended::kCrashed || ended == Ended::kHung) {
    if (is_new && board.found_count == 0) {
      shown.finding = why_it_ended(ended == Ended::kHung, status_, settings_.hang);
    }
    if (shown.finding.kind == FindingKind::kCrash) shown.replayed = true;
  }
  shown.trace.assign(board.trace(), board.trace() + board.trace_count);
}

Outcome Watch::replay() {
  Outcome outcome;
  std::string error;
  const auto schedule =
      explore::parse_schedule(settings_.replay == "-" ? "" : settings_.replay, error);
  if (!schedule) {
    outcome.status = Outcome::kUnusable;
    outcome.reason = error;
    return outcome;
  }
  Shown shown;
  shown.schedule = *schedule;
  shown.heap = settings_.heap == HeapChoice::kFifo   ? "fifo"
               : settings_.heap == HeapChoice::kLifo ? "lifo"
                                                     : "quarantine";
  show(shown);
  outcome.executions = 1;
  outcome.status = shown.finding.kind == FindingKind::kNone ? Outcome::kHolds : Outcome::kFinding;
  const Board& board = processes_.front()->board();
  if (board.result == Result::kBroken) {
    outcome.status = Outcome::kUnusable;
    outcome.reason = board.message;
  }
  outcome.findings.push_back(shown);
  return outcome;
}

std::vector<Watch::Plan> Watch::plan() const {
  std::vector<Reuse> heaps;
  switch (settings_.heap) {
    case HeapChoice::kBoth: heaps = {Reuse::kNever, Reuse::kFifo}; break;
    case HeapChoice::kQuarantine: heaps = {Reuse::kNever}; break;
    case HeapChoice::kFifo: heaps = {Reuse::kFifo}; break;
    case HeapChoice::kLifo: heaps = {Reuse::kLifo}; break;
  }
  std::vector<Plan::How> searches;
  switch (settings_.strategy) {
    case SearchBy::kAuto:
      searches = {Plan::kDfs};
      if (!settings_.preemptions_given) searches.push_back(Plan::kDpor);
      break;
    case SearchBy::kDfs: searches = {Plan::kDfs}; break;
    case SearchBy::kDpor: searches = {Plan::kDpor}; break;
    case SearchBy::kPct: searches = {Plan::kPct}; break;
    case SearchBy::kPos: searches = {Plan::kPos}; break;
    case SearchBy::kRandom: searches = {Plan::kRandom}; break;
  }
  std::vector<Plan> result;
  for (const Reuse reuse : heaps) {
    for (const Plan::How search : searches) result.push_back({search, reuse});
  }
  return result;
}

Outcome Watch::explore() {
  const double begin = seconds_now();
  deadline_ = settings_.timeout > 0 ? begin + settings_.timeout : 0;
  Board& board = processes_.front()->board();
  Outcome outcome;
  if (!settings_.replay.empty()) {
    outcome = replay();
  } else {
    outcome.status = Outcome::kHolds;
    if (!kept_) {
      board.site_count = 0;
      board.stage = 0;
      board.freed = false;
      board.guessed = false;
      board.wrote_older = false;
    }
    const std::vector<Plan> stages = plan();
    // Those that were finished before this process was ended.
    for (std::uint32_t i = 0; kept_ && i < board.stage; ++i) {
      outcome.executions += board.finished[i];
    }
    for (std::uint32_t i = kept_ ? board.stage : 0; i < stages.size(); ++i) {
      // If nothing is ever freed, it does not matter what becomes of what is.
      if (stages[i].reuse != stages[0].reuse && !board.freed) break;
      const bool resume = kept_ && i == board.stage && board.executions > 0;
      board.stage = i;
      const std::string cut = run_stage(stages[i], resume, outcome);
      board.finished[i] = outcome.stages.back().executions;
      // With few preemptions all was seen; that partial-order reduction does not come to its end
      // only means that the claim stays there.
      const bool extra = stages[i].how == Plan::kDpor && settings_.strategy == SearchBy::kAuto &&
                         cut == "executions";
      if (!cut.empty() && !extra && outcome.status == Outcome::kHolds) {
        outcome.status = cut == "interrupted" ? Outcome::kInterrupted : Outcome::kUndecided;
        outcome.reason = cut;
      }
      if (outcome.status != Outcome::kHolds) break;
    }
    if (outcome.status != Outcome::kUndecided && outcome.status != Outcome::kInterrupted) {
      processes_.front()->remove_file();
    }
    for (Shown& shown : outcome.findings) {
      if (shown.complete && shown.finding.kind != FindingKind::kDivergence) show(shown);
    }
  }
  outcome.seconds = seconds_now() - begin;
  rusage usage{};
  getrusage(RUSAGE_CHILDREN, &usage);
  outcome.peak_bytes = static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
  outcome.cpu_seconds = static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
                        1e-6 * static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
  return outcome;
}

}  // namespace plumb::session
