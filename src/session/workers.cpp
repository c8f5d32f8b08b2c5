// SPDX-License-Identifier: MIT
// One search in several processes.
#include <time.h>

#include <algorithm>
#include <cstdio>

#include "explore/dfs.hpp"
#include "explore/make.hpp"
#include "session/interrupts.hpp"
#include "session/watch.hpp"

namespace plumb::session {

using runtime::Board;
using runtime::SearchEnd;

namespace {

void pause_a_little(long& nanoseconds) {
  const timespec pause{0, nanoseconds};
  nanosleep(&pause, nullptr);
  if (nanoseconds < 10'000'000) nanoseconds *= 2;
}

}  // namespace

// Several processes on one depth-first search. Who has nothing left gets half of what another has
// not yet begun.
Watch::Ended Watch::run_workers(const Process::How& how) {
  const auto jobs = static_cast<std::size_t>(settings_.jobs);
  Board& first = processes_.front()->board();
  while (processes_.size() < jobs) {
    auto process = std::make_unique<Process>();
    if (!process->open()) break;
    processes_.push_back(std::move(process));
  }
  for (std::size_t i = 1; i < processes_.size(); ++i) {
    Board& board = processes_[i]->board();
    prepare(board, first.command.options.reuse);
    board.result.end = SearchEnd::exhausted;
    board.sites = first.sites;
  }
  const CatchInterrupt catcher;
  first.result.end = SearchEnd::running;
  bool broken = !processes_.front()->start(how).empty();
  Ended why = Ended::by_itself;
  std::vector<Pulse> pulses(processes_.size());
  bool any = !broken;
  for (long pause = 100'000; any; pause_a_little(pause)) {
    std::uint64_t executions = 0;
    any = false;
    bool over = false;
    for (std::size_t i = 0; i < processes_.size() && !over; ++i) {
      Process& process = *processes_[i];
      executions += process.board().result.progress.executions;
      if (!process.is_running()) continue;
      why = look(process, pulses[i]);
      any = any || process.is_running();
      over = why != Ended::by_itself ||
             (!process.is_running() && process.board().result.end != SearchEnd::exhausted);
    }
    if (over || !any) break;
    if (executions > settings_.max_executions) break;
    switch (divide_work(how)) {
      case Division::none: break;
      case Division::done: pause = 100'000; break;
      case Division::failed: any = false, broken = true; break;
    }
  }
  for (const auto& process : processes_) process->kill();
  sum_up_workers();
  // This applies even if the search has ended meanwhile: the verdict must not depend on speed.
  const SearchEnd end = first.result.end;
  const bool is_over_limit = first.result.progress.executions > settings_.max_executions;
  if (is_over_limit && why == Ended::by_itself &&
      (end == SearchEnd::running || end == SearchEnd::exhausted))
    first.result.end = SearchEnd::limit;
  if (broken) { first.result.set_broken("the program could not be started again"); }
  return why;
}

// A worker that is asked for a part of its work waits between two executions while it is divided.
Watch::Division Watch::divide_work(const Process::How& how) {
  Process* idle = nullptr;
  for (const auto& process : processes_) {
    if (!process->is_running()) idle = process.get();
  }
  if (idle == nullptr) return Division::none;
  Process& asked = *processes_[asked_];
  Board& from = asked.board();
  if (!asked.is_running() || !from.command.pause) {
    // Another one; if it waited before, it must have noticed that this is over.
    asked_ = (asked_ + 1) % processes_.size();
    Process& next = *processes_[asked_];
    if (next.is_running() && !next.board().result.progress.paused)
      next.board().command.pause = true;
    return Division::none;
  }
  if (!from.result.progress.paused) return Division::none;
  std::string error;
  const auto strategy = explore::attach(from.strategy_memory(), error);
  auto* const dfs = dynamic_cast<explore::Dfs*>(strategy.get());
  const bool given = dfs != nullptr && dfs->split(idle->board().strategy_memory());
  from.command.pause = false;
  if (!given) return Division::none;
  idle->board().command.pause = false;
  idle->board().result.progress.paused = false;
  idle->board().command.resume = false;
  idle->board().result.end = SearchEnd::running;
  return idle->start(how).empty() ? Division::done : Division::failed;
}

// The first board stands for all of them.
void Watch::sum_up_workers() {
  Board& first = processes_.front()->board();
  for (std::size_t i = 1; i < processes_.size(); ++i) {
    Board& board = processes_[i]->board();
    runtime::SearchResult& part = board.result;
    runtime::SearchResult& all = first.result;
    all.progress.executions += part.progress.executions;
    all.progress.steps += part.progress.steps;
    all.progress.cut += part.progress.cut;
    all.progress.histories =
        std::max<std::uint64_t>(all.progress.histories, part.progress.histories);
    if (part.progress.many_threads) all.progress.many_threads = true;
    for (const runtime::KeptFinding& found : part.findings.kept())
      all.findings.add(found.finding, {found.schedule.data(), found.choices});
    if (board.remarks.could_reuse) first.remarks.could_reuse = true;
    if (board.remarks.guessed) first.remarks.guessed = true;
    if (board.remarks.wrote_prior_heap) first.remarks.wrote_prior_heap = true;
    const SearchEnd end = part.end;
    if (end != SearchEnd::exhausted && end != SearchEnd::running) all.end = end;
    if (end == SearchEnd::broken) all.set_broken(part.message);
    if (end == SearchEnd::more_sites) first.sites = board.sites;
    part.reset();
  }
}

}  // namespace plumb::session
