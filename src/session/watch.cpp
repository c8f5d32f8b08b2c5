// SPDX-License-Identifier: MIT
#include "session/watch.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <new>

#include "explore/make.hpp"
#include "explore/schedule.hpp"

extern char** environ;

namespace plumb::session {

using runtime::Board;
using runtime::FindingKind;
using runtime::Result;
using runtime::Reuse;

namespace {

constexpr const char* kBoardVariable = "PLUMB_BOARD";  // the board's file descriptor
constexpr const char* kCallVariable = "PLUMB_CALL";    // which call of explore() is meant

int calls = 0;  // of explore() so far

double seconds_now() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

volatile sig_atomic_t interrupted = 0;
void on_interrupt(int) { interrupted = 1; }

std::vector<std::string> own_arguments() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  const std::string all(std::istreambuf_iterator<char>(file), {});
  std::vector<std::string> words;
  for (std::size_t at = 0; at < all.size();) {
    words.emplace_back(all.c_str() + at);
    at += words.back().size() + 1;
  }
  return words;
}

const char* name_of(Reuse reuse) {
  switch (reuse) {
    case Reuse::kNever: return "quarantine";
    case Reuse::kFifo: return "fifo";
    case Reuse::kLifo: return "lifo";
  }
  return "?";
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

}  // namespace

bool is_child() { return std::getenv(kBoardVariable) != nullptr; }

void run_if_child(void* (*body)(void*), void* argument) {
  if (!is_child() || ++calls != std::atoi(std::getenv(kCallVariable))) return;
  void* const memory = mmap(nullptr, Board::kBytes, PROT_READ | PROT_WRITE, MAP_SHARED,
                            std::atoi(std::getenv(kBoardVariable)), 0);
  auto* const board = static_cast<Board*>(memory);
  if (memory == MAP_FAILED || board->magic != Board::kMagic) _exit(70);
  runtime::search(*board, body, argument);
  _exit(0);
}

std::string Watch::open() {
  fd_ = memfd_create("plumb", 0);
  if (fd_ < 0 || ftruncate(fd_, Board::kBytes) != 0)
    return "no memory to share with the process under test";
  void* const memory = mmap(nullptr, Board::kBytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd_, 0);
  if (memory == MAP_FAILED) return "no memory to share with the process under test";
  board_ = new (memory) Board;
  ++calls;
  return {};
}

Watch::~Watch() {
  if (board_ != nullptr) munmap(board_, Board::kBytes);
  if (fd_ >= 0) close(fd_);
}

// The program itself, started anew: with addresses that do not change from one process to the next,
// and with all calls of libraries bound (a table of addresses that is filled on demand would be
// reset with the globals, again and again).
Watch::Ended Watch::run_child(const Settings& settings) {
  std::vector<std::string> words = own_arguments();
  if (!gtest_.empty()) words.push_back("--gtest_filter=" + gtest_);
  std::vector<std::string> variables;
  for (char** e = environ; *e != nullptr; ++e) {
    const std::string variable = *e;
    if (!variable.starts_with("PLUMB_BOARD=") && !variable.starts_with("PLUMB_CALL=") &&
        !variable.starts_with("LD_BIND_NOW=") && !variable.starts_with("GTEST_")) {
      variables.push_back(variable);
    }
  }
  variables.push_back(std::string(kBoardVariable) + "=" + std::to_string(fd_));
  variables.push_back(std::string(kCallVariable) + "=" + std::to_string(calls));
  variables.push_back("LD_BIND_NOW=1");
  std::vector<char*> argv, envp;
  for (std::string& word : words) argv.push_back(word.data());
  for (std::string& variable : variables) envp.push_back(variable.data());
  argv.push_back(nullptr);
  envp.push_back(nullptr);

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  // What the code prints a million times over is for nobody.
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  if (!settings.debug && settings.replay.empty()) {
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  } else {
    posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
  }
  const int old = personality(0xffffffff);
  personality(static_cast<unsigned long>(old) | ADDR_NO_RANDOMIZE);
  pid_t child = 0;
  const int error =
      posix_spawn(&child, "/proc/self/exe", &actions, nullptr, argv.data(), envp.data());
  personality(static_cast<unsigned long>(old));
  posix_spawn_file_actions_destroy(&actions);
  Ended ended;
  if (error != 0) {
    std::snprintf(board_->message, sizeof board_->message,
                  "the program could not be started anew: %s", std::strerror(error));
    board_->result = Result::kBroken;
    return ended;
  }

  struct sigaction action {
  }, old_interrupt{};
  action.sa_handler = on_interrupt;
  sigaction(SIGINT, &action, &old_interrupt);
  std::uint64_t last_steps = ~std::uint64_t{0};
  double last_change = seconds_now();
  timespec pause{0, 200'000};
  for (;;) {
    const pid_t done = waitpid(child, &ended.status, WNOHANG);
    if (done == child) break;
    const double now = seconds_now();
    const std::uint64_t steps = board_->steps + board_->executions + board_->heartbeat;
    if (steps != last_steps) {
      last_steps = steps;
      last_change = now;
    }
    ended.timed_out = deadline_ != 0 && now > deadline_;
    ended.hung = !settings.debug && now - last_change > settings.hang;
    ended.interrupted = interrupted != 0;
    if (ended.timed_out || ended.hung || ended.interrupted) {
      kill(child, SIGKILL);
      waitpid(child, &ended.status, 0);
      break;
    }
    nanosleep(&pause, nullptr);
    if (pause.tv_nsec < 20'000'000) pause.tv_nsec *= 2;
  }
  sigaction(SIGINT, &old_interrupt, nullptr);
  ended.crashed =
      !ended.timed_out && !ended.hung && !ended.interrupted && board_->result == Result::kRunning;
  return ended;
}

void Watch::prepare(const Settings& settings, Reuse reuse) {
  runtime::Options& o = board_->options;
  o = {};
  o.plain = settings.schedule_at == ScheduleAt::kAll       ? runtime::PlainPoints::kAll
            : settings.schedule_at == ScheduleAt::kAtomics ? runtime::PlainPoints::kNone
                                                           : runtime::PlainPoints::kSome;
  o.reuse = reuse;
  // Where races are ignored, they are still looked for in order to know where to switch.
  o.races = !settings.ignore_race || settings.schedule_at == ScheduleAt::kAuto;
  o.race_is_bad = !settings.ignore_race;
  o.stuck_is_bad = !settings.ignore_stuck;
  o.spurious = settings.spurious;
  o.start_points = settings.start_points;
  o.leaks = settings.leaks;
  o.max_steps = settings.max_steps;
  board_->resume = false;
  board_->tracing = false;
  board_->result = Result::kRunning;
  board_->executions = 0;
  board_->steps = 0;
  board_->stuck = 0;
  board_->cut = 0;
  board_->histories = 0;
  board_->found_count = 0;
  board_->keep_going = settings.keep_going;
  std::snprintf(board_->points, sizeof board_->points, "%s", settings.points.c_str());
}

// Runs one search to its end, however often it has to be begun anew because plain accesses were
// seen to race. Returns why it was cut, or nothing.
std::string Watch::run_stage(const Settings& settings, const std::string& name, Reuse reuse,
                             Outcome& outcome) {
  explore::Options how;
  Stage stage;
  stage.heap = name_of(reuse);
  stage.exhaustive = true;
  if (name == "dpor") {
    how.kind = explore::Kind::kDpor;
    stage.name = "all schedules, by partial-order reduction";
  } else if (name == "dfs" && settings.preemptions < 0) {
    stage.name = "all schedules";
  } else if (name == "dfs") {
    const auto bound = static_cast<std::uint32_t>(settings.preemptions);
    how.dfs.first_bound = 0;
    how.dfs.last_bound = bound;
    stage.name = "all schedules with at most " + std::to_string(bound) + " preemptions";
    stage.exhaustive = false;
  } else {
    how.kind = name == "pct"   ? explore::Kind::kPct
               : name == "pos" ? explore::Kind::kPos
                               : explore::Kind::kRandom;
    how.random.seed = settings.seed;
    how.random.runs = settings.max_executions;
    stage.name = "random schedules (" + name + ", seed " + std::to_string(settings.seed) + ")";
    stage.exhaustive = false;
  }
  board_->max_executions = settings.max_executions;
  std::string cut;
  std::string error;
  for (bool again = true, resume = false; again;) {
    again = false;
    if (!resume) {
      prepare(settings, reuse);
      if (explore::make(how, board_->strategy_memory(), error) == nullptr) return error;
    }
    board_->resume = resume;
    board_->result = Result::kRunning;
    const Ended ended = run_child(settings);
    const auto strategy = explore::attach(board_->strategy_memory(), error);
    if (strategy == nullptr) return error;
    if (ended.timed_out) cut = "time";
    if (ended.interrupted) cut = "interrupted";
    if (ended.hung || ended.crashed) {
      const bool noted = WIFEXITED(ended.status) && WEXITSTATUS(ended.status) == runtime::kCrashed;
      if (!noted)
        board_->add(why_it_ended(ended.hung, ended.status, settings.hang), strategy->schedule());
      if (board_->executions == 0 && strategy->schedule().empty() && !noted && !ended.hung) {
        board_->result = Result::kBroken;
        std::snprintf(board_->message, sizeof board_->message,
                      "the program ended before it came to its exploration again: %s",
                      board_->found[0].finding.text);
      } else if (settings.keep_going) {
        again = resume = true;
        continue;
      }
    }
    switch (board_->result.load()) {
      case Result::kRunning:
      case Result::kFinding: break;
      case Result::kExhausted: stage.complete = true; break;
      case Result::kLimit:
        if (name != "dfs" && name != "dpor") stage.complete = true;
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
        outcome.reason = board_->message;
        break;
    }
    const explore::StateHead& head = strategy->head();
    stage.executions += board_->found_count > 0 ? board_->executions.load() : head.executions;
    stage.steps += board_->steps;
    stage.pruned += head.pruned;
    if (stage.complete && board_->cut != 0) cut = "steps", stage.complete = false;
    if (stage.complete && head.overflows != 0) cut = "depth", stage.complete = false;
  }
  if (outcome.status != Outcome::kUnusable) {
    for (std::uint32_t i = 0; i < board_->found_count; ++i) {
      const runtime::Found& found = board_->found[i];
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
  outcome.histories = std::max<std::uint64_t>(outcome.histories, board_->histories);
  outcome.stages.push_back(stage);
  return cut;
}

// Runs the schedule of the finding once more, and keeps its steps.
void Watch::show(const Settings& settings, Shown& shown) {
  const Reuse reuse = shown.heap == "fifo"   ? Reuse::kFifo
                      : shown.heap == "lifo" ? Reuse::kLifo
                                             : Reuse::kNever;
  prepare(settings, reuse);
  board_->tracing = true;
  board_->options.tracing = true;
  board_->trace_count = 0;
  board_->max_executions = 1;
  explore::Options how;
  how.kind = explore::Kind::kReplay;
  how.schedule = shown.schedule;
  std::string error;
  if (explore::make(how, board_->strategy_memory(), error) == nullptr) return;
  const Ended ended = run_child(settings);
  const bool is_new = shown.finding.kind == FindingKind::kNone;
  if (board_->found_count > 0 && (is_new || board_->found[0].finding.kind == shown.finding.kind)) {
    shown.finding = board_->found[0].finding;
    shown.replayed = true;
  }
  if (shown.finding.kind == FindingKind::kCrash && (ended.crashed || ended.hung))
    shown.replayed = true;
  shown.trace.assign(board_->trace(), board_->trace() + board_->trace_count);
}

Outcome Watch::explore(const Settings& settings, const char* gtest) {
  gtest_ = gtest == nullptr ? "" : gtest;
  Outcome outcome;
  const double begin = seconds_now();
  deadline_ = settings.timeout > 0 ? begin + settings.timeout : 0;
  board_->site_count = 0;
  outcome.status = Outcome::kHolds;

  if (!settings.replay.empty()) {
    std::string error;
    const auto schedule =
        explore::parse_schedule(settings.replay == "-" ? "" : settings.replay, error);
    if (!schedule) {
      outcome.status = Outcome::kUnusable;
      outcome.reason = error;
      return outcome;
    }
    Shown shown;
    shown.schedule = *schedule;
    shown.heap = settings.heap == HeapChoice::kFifo   ? "fifo"
                 : settings.heap == HeapChoice::kLifo ? "lifo"
                                                      : "quarantine";
    show(settings, shown);
    outcome.executions = 1;
    if (shown.finding.kind != FindingKind::kNone) outcome.status = Outcome::kFinding;
    if (board_->result == Result::kBroken || board_->result == Result::kUnhooked) {
      outcome.status = Outcome::kUnusable;
      outcome.reason = board_->message;
    }
    outcome.findings.push_back(shown);
    outcome.seconds = seconds_now() - begin;
    return outcome;
  }

  std::vector<Reuse> heaps;
  if (settings.heap == HeapChoice::kBoth) heaps = {Reuse::kNever, Reuse::kFifo};
  if (settings.heap == HeapChoice::kQuarantine) heaps = {Reuse::kNever};
  if (settings.heap == HeapChoice::kFifo) heaps = {Reuse::kFifo};
  if (settings.heap == HeapChoice::kLifo) heaps = {Reuse::kLifo};
  std::vector<std::string> stages;
  switch (settings.strategy) {
    case SearchBy::kAuto: stages = {"dfs", "dpor"}; break;
    case SearchBy::kDfs: stages = {"dfs"}; break;
    case SearchBy::kDpor: stages = {"dpor"}; break;
    case SearchBy::kPct: stages = {"pct"}; break;
    case SearchBy::kPos: stages = {"pos"}; break;
    case SearchBy::kRandom: stages = {"random"}; break;
  }
  if (settings.strategy == SearchBy::kAuto && settings.preemptions_given) stages = {"dfs"};

  for (const Reuse reuse : heaps) {
    // If nothing is ever freed, it does not matter what becomes of what is.
    if (reuse != heaps.front() && !board_->freed) break;
    for (const std::string& stage : stages) {
      const std::string cut = run_stage(settings, stage, reuse, outcome);
      // With few preemptions all was seen; that partial-order reduction does not come to its end
      // only means that the claim stays there.
      const bool extra =
          stage == "dpor" && settings.strategy == SearchBy::kAuto && cut == "executions";
      if (!cut.empty() && !extra && outcome.status == Outcome::kHolds) {
        outcome.status = Outcome::kUndecided;
        outcome.reason = cut;
      }
      if (outcome.status != Outcome::kHolds) break;
    }
    if (outcome.status != Outcome::kHolds) break;
  }
  for (Shown& shown : outcome.findings) {
    if (shown.complete && shown.finding.kind != FindingKind::kDivergence) show(settings, shown);
  }
  outcome.seconds = seconds_now() - begin;
  rusage usage{};
  getrusage(RUSAGE_CHILDREN, &usage);
  outcome.peak_bytes = static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
  return outcome;
}

}  // namespace plumb::session
