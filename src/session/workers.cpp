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
using runtime::Result;

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
    bool kept = false;
    if (process->open({}, 0, kept).status != 0) break;
    processes_.push_back(std::move(process));
  }
  for (std::size_t i = 1; i < processes_.size(); ++i) {
    Board& board = processes_[i]->board();
    prepare(board, first.options.reuse);
    board.result = Result::exhausted;
    board.site_count = first.site_count;
    board.sites = first.sites;
  }
  const CatchInterrupt catcher;
  first.result = Result::running;
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
      executions += process.board().executions;
      if (!process.is_running()) continue;
      why = look(process, pulses[i]);
      any = any || process.is_running();
      over = why != Ended::by_itself ||
             (!process.is_running() && process.board().result != Result::exhausted);
    }
    if (over || !any) break;
    if (executions >= settings_.max_executions) {
      first.result = Result::limit;
      break;
    }
    switch (divide_work(how)) {
      case Division::none: break;
      case Division::done: pause = 100'000; break;
      case Division::failed: any = false, broken = true; break;
    }
  }
  for (const auto& process : processes_) process->kill();
  sum_up_workers();
  if (broken) {
    first.result = Result::broken;
    std::snprintf(first.message, sizeof first.message, "the program could not be started anew");
  }
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
  if (!asked.is_running() || !from.pause) {
    // Another one; if it waited before, it must have noticed that this is over.
    asked_ = (asked_ + 1) % processes_.size();
    Process& next = *processes_[asked_];
    if (next.is_running() && !next.board().paused) next.board().pause = true;
    return Division::none;
  }
  if (!from.paused) return Division::none;
  std::string error;
  const auto strategy = explore::attach(from.strategy_memory(), error);
  auto* const dfs = dynamic_cast<explore::Dfs*>(strategy.get());
  const bool given = dfs != nullptr && dfs->split(idle->board().strategy_memory());
  from.pause = false;
  if (!given) return Division::none;
  idle->board().pause = false;
  idle->board().paused = false;
  idle->board().resume = false;
  idle->board().result = Result::running;
  return idle->start(how).empty() ? Division::done : Division::failed;
}

// The first board stands for all of them.
void Watch::sum_up_workers() {
  Board& first = processes_.front()->board();
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
    if (board.could_reuse) first.could_reuse = true;
    if (board.guessed) first.guessed = true;
    if (board.wrote_older) first.wrote_older = true;
    if (board.many_threads) first.many_threads = true;
    const Result result = board.result;
    if (result != Result::exhausted && result != Result::running) first.result = result;
    if (result == Result::broken)
      std::snprintf(first.message, sizeof first.message, "%s", board.message);
    if (result == Result::more_sites) {
      first.site_count = board.site_count;
      first.sites = board.sites;
    }
    board.executions = 0;
    board.steps = 0;
    board.found_count = 0;
  }
}

}  // namespace plumb::session
