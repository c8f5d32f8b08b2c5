// SPDX-License-Identifier: MIT
// What is searched, one stage after the other, and what comes of it.
#include <sys/resource.h>

#include <algorithm>

#include "explore/make.hpp"
#include "session/cores.hpp"
#include "session/watch.hpp"

namespace plumb::session {

using lineup::Cut;
using lineup::CutBy;
using runtime::Board;
using runtime::SearchEnd;

std::vector<Reuse> Watch::heaps() const {
  switch (settings_.heap) {
    case HeapChoice::both: return {Reuse::never, Reuse::fifo};
    case HeapChoice::quarantine: return {Reuse::never};
    case HeapChoice::fifo: return {Reuse::fifo};
    case HeapChoice::lifo: return {Reuse::lifo};
  }
  return {};
}

std::vector<Watch::Plan::How> Watch::ways() const {
  switch (settings_.strategy) {
    case SearchBy::automatic:
      if (settings_.preemptions_given && !settings_.exhaustive) return {Plan::How::dfs};
      return {Plan::How::dfs, Plan::How::dpor};
    case SearchBy::dfs: return {Plan::How::dfs};
    case SearchBy::dpor: return {Plan::How::dpor};
    case SearchBy::pct: return {Plan::How::pct};
    case SearchBy::pos: return {Plan::How::pos};
    case SearchBy::random: return {Plan::How::random};
  }
  return {};
}

explore::Options Watch::options_of(Plan::How how, int preemptions) const {
  explore::Options what;
  switch (how) {
    case Plan::How::dpor: what.kind = explore::Kind::dpor; break;
    case Plan::How::pct: what.kind = explore::Kind::pct; break;
    case Plan::How::pos: what.kind = explore::Kind::pos; break;
    case Plan::How::random: what.kind = explore::Kind::random; break;
    case Plan::How::dfs:
      if (preemptions < 0) break;
      what.dfs.first_bound = 0;
      what.dfs.last_bound = static_cast<std::uint32_t>(preemptions);
  }
  what.random.seed = settings_.seed;
  what.random.runs = settings_.max_executions;
  return what;
}

std::vector<Watch::Plan> Watch::plan() const {
  std::vector<Plan> result;
  for (const Reuse reuse : heaps()) {
    for (const Plan::How way : ways()) result.push_back({way, reuse});
  }
  return result;
}

std::vector<explore::Options> Watch::searches(int preemptions) const {
  std::vector<explore::Options> result;
  if (!settings_.replay.empty()) {
    explore::Options what;
    what.kind = explore::Kind::replay;
    what.schedule = schedule_;
    return {what};
  }
  for (const Plan::How way : ways()) result.push_back(options_of(way, preemptions));
  return result;
}

namespace {

void set_unusable(const char* why, ExplorationResult& outcome) {
  outcome.status = ExitStatus::internal;
  outcome.reason = why;
}

}  // namespace

bool Watch::Plan::is_random() const {
  return how == How::pct || how == How::pos || how == How::random;
}

std::string Watch::name_of_stage(const Plan& plan) const {
  switch (plan.how) {
    case Plan::How::dpor: return "all schedules, by partial-order reduction";
    case Plan::How::pct:
    case Plan::How::pos:
    case Plan::How::random: {
      const bool pct = plan.how == Plan::How::pct, pos = plan.how == Plan::How::pos;
      const std::string how = pct ? "pct" : pos ? "pos" : "uniform";
      return "random schedules (" + how + ", seed " + std::to_string(settings_.seed) + ")";
    }
    case Plan::How::dfs: break;
  }
  if (settings_.preemptions < 0) return "all schedules";
  return "all schedules with at most " + std::to_string(settings_.preemptions) + " preemptions";
}

// Runs one search to its end, however often it has to start again because plain accesses were seen
// to race. Returns why it was cut, or nothing.
Cut Watch::run_stage(const Plan& plan, bool resume, ExplorationResult& outcome) {
  report::ExploreScope::Stage stage;
  stage.schedules = name_of_stage(plan);
  stage.heap = plan.reuse;
  Board& board = processes_.front()->board();
  Cut cut;
  Next next = resume ? Next::resume : Next::restart;
  while (next != Next::nothing) cut = run_search(plan, next, stage, outcome);
  if (outcome.status != ExitStatus::internal) {
    for (const Shown& shown : found(stage.heap)) {
      outcome.findings.push_back(shown);
      outcome.status = ExitStatus::violation;
    }
  }
  outcome.executions += stage.executions;
  outcome.histories = std::max<std::uint64_t>(outcome.histories, board.result.progress.histories);
  outcome.stages.push_back(stage);
  return cut;
}

// What was run counts; the search that follows has other scheduling points.
Cut Watch::begin_again(Next& next, report::ExploreScope::Stage& stage) {
  const auto& progress = board().result.progress;
  stage.executions += progress.executions;
  stage.steps += progress.steps;
  next = Next::restart;
  return {};
}

// One search of the stage; `next`: how it begins, and then whether another one follows.
Cut Watch::run_search(const Plan& plan, Next& next, report::ExploreScope::Stage& stage,
                      ExplorationResult& outcome) {
  const Next how_begun = next;
  next = Next::nothing;
  Board& board = processes_.front()->board();
  const bool is_divided = settings_.jobs > 1;
  const explore::Options what = options_of(plan.how, settings_.preemptions);
  std::string error;
  if (how_begun == Next::restart) {
    prepare(board, plan.reuse);
    if (explore::make(what, board.strategy_memory(), error) == nullptr) return Cut::because(error);
  }
  board.command.crashed = how_begun == Next::skip_crashed;
  board.command.resume = how_begun != Next::restart;
  board.command.max_executions = settings_.max_executions;
  Cores cores(static_cast<unsigned>(std::max(1, settings_.jobs)));
  const Ended ended =
      is_divided ? run_divided(how(false), cores, 0) : run(*processes_.front(), how(false));
  if (drop_suppressed(ended, outcome.suppressed)) return begin_again(next, stage);
  const auto strategy = explore::attach(board.strategy_memory(), error);
  if (strategy == nullptr) return Cut::because(error);
  Cut cut;
  if (const CutBy limit = limit_of(ended); limit != CutBy::nothing) cut = {limit};
  if (ended == Ended::hung || ended == Ended::stopped || ended == Ended::crashed) {
    cut = judge_end(ended, stage.heap);
    if (!cut && settings_.keep_going && !is_divided && board.result.end != SearchEnd::broken) {
      next = Next::skip_crashed;
      return {};
    }
  }
  const explore::StateHead& head = strategy->head();
  switch (board.result.end.load()) {
    case SearchEnd::running:
    case SearchEnd::finding: break;
    case SearchEnd::exhausted: stage.complete = !cut && ended == Ended::by_itself; break;
    case SearchEnd::limit:
      stage.complete = plan.is_random();
      if (!stage.complete) cut = {CutBy::executions};
      break;
    case SearchEnd::more_sites: next = Next::restart; break;
    case SearchEnd::unhooked:
      // Nothing was left to be run?
      stage.complete = how_begun != Next::restart && head.executions > 0;
      if (!stage.complete) set_unusable(kUnhookedText, outcome);
      break;
    case SearchEnd::endless:
    case SearchEnd::broken: set_unusable(board.result.message, outcome); break;
  }
  const auto& progress = board.result.progress;
  stage.executions +=
      board.result.findings.count > 0 ? progress.executions.load() : head.executions;
  stage.steps += progress.steps;
  stage.pruned += head.pruned;
  if (stage.complete && progress.cut != 0) cut = why_cut(board);
  else if (stage.complete && head.overflows != 0) cut = {CutBy::depth};
  if (cut) stage.complete = false;
  return cut;
}

bool Watch::is_extra(const Plan& plan) const {
  return plan.how == Plan::How::dpor && settings_.strategy == SearchBy::automatic &&
         !settings_.exhaustive;
}

ExplorationResult Watch::run_stages() {
  ExplorationResult outcome;
  outcome.status = ExitStatus::holds;
  Board& board = processes_.front()->board();
  if (!kept_) {
    board.sites.clear();
    board.suppressed.clear();
    board.saved.stage = 0;
    board.remarks.reset();
  }
  const std::vector<Plan> stages = plan();
  // Those that were finished before this process was ended.
  for (std::uint32_t i = 0; kept_ && i < board.saved.stage; ++i)
    outcome.executions += board.saved.finished[i];
  for (std::uint32_t i = kept_ ? board.saved.stage : 0; i < stages.size(); ++i) {
    // Without a block to use again it makes no difference whether blocks are used again.
    if (stages[i].reuse != stages[0].reuse && !board.remarks.could_reuse) break;
    // By partial-order reduction all schedules are too many: every step may depend on every other.
    if (is_extra(stages[i]) && board.unseen.any()) continue;
    const bool resume = kept_ && i == board.saved.stage && board.result.progress.executions > 0;
    board.saved.stage = i;
    const Cut cut = run_stage(stages[i], resume, outcome);
    board.saved.finished[i] = outcome.stages.back().executions;
    outcome.interrupted = outcome.interrupted || cut.by == CutBy::interrupted;
    // With few preemptions all was seen; that partial-order reduction does not come to its end only
    // means that the claim stays there.
    const bool leaves_plan = is_extra(stages[i]) && cut.by == CutBy::executions;
    if (cut && !leaves_plan && outcome.status == ExitStatus::holds) {
      outcome.status =
          cut.by == CutBy::interrupted ? ExitStatus::interrupted : ExitStatus::undecided;
      outcome.cut = cut;
    }
    if (outcome.status != ExitStatus::holds) break;
  }
  return outcome;
}

namespace {

// What was cut at the other limits will be cut there again.
bool may_continue(const ExplorationResult& outcome) {
  const CutBy by = outcome.cut.by;
  return outcome.status == ExitStatus::interrupted ||
         (outcome.status == ExitStatus::undecided && by != CutBy::steps && by != CutBy::threads &&
          by != CutBy::depth);
}

}  // namespace

// In a process in which nothing ran before. What is not seen again there proves nothing.
void Watch::show_findings(ExplorationResult& outcome) {
  std::vector<Shown> seen_again;
  for (Shown& shown : outcome.findings) {
    const bool can_be = shown.complete && shown.finding.kind != FindingKind::divergence;
    if (can_be && !shown.replayed) show(shown, replayer_);
    if (!can_be || shown.replayed) seen_again.push_back(shown);
  }
  if (seen_again.empty() && !outcome.findings.empty()) {
    outcome.status = ExitStatus::undecided;
    outcome.cut = Cut::because(kNotReproduced);
  }
  outcome.findings = std::move(seen_again);
}

ExplorationResult Watch::explore() {
  const double begin = begin_ = seconds_now();
  deadline_ = settings_.timeout > 0 ? begin + settings_.timeout : 0;
  ExplorationResult outcome;
  if (!settings_.replay.empty()) {
    outcome = replay();
  } else {
    outcome = run_stages();
    if (save_.is_open() && may_continue(outcome))
      (void)save_.write(processes_.front()->board()).ok();
    else save_.remove();
    deadline_ = 0;
    CatchInterrupt::forget();
    show_findings(outcome);
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
