// SPDX-License-Identifier: MIT
// One search in several processes, each with a part of the schedules.
//
// A depth-first search is divided by prefixes: who has nothing left gets half of what another has
// not yet begun, at its shallowest choice, so all of it comes after what the other keeps. Random
// schedules have numbers, of which each process runs every n-th. Parts therefore have an order:
// that in which one process would have run them. What ends the search is the first end in this
// order: when a part ends with a finding, those after it are stopped, and those before it continue,
// since one process would have come to theirs first.
#include <time.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <utility>

#include "explore/dfs.hpp"
#include "explore/make.hpp"
#include "session/interrupts.hpp"
#include "session/watch.hpp"

namespace plumb::session {

using lineup::CutBy;
using runtime::Board;
using runtime::SearchEnd;

namespace {

void pause_a_little(long& nanoseconds) {
  const timespec pause{0, nanoseconds};
  nanosleep(&pause, nullptr);
  if (nanoseconds < 10'000'000) nanoseconds *= 2;
}

}  // namespace

// The parts of a search that are not done yet, by the numbers of their processes, in their order.
class Watch::Parts {
 public:
  using Processes = std::vector<std::unique_ptr<Process>>;
  Parts(const Processes& processes, bool is_random)
      : processes_(processes), is_random_(is_random) {}

  void add_last(std::size_t part) { order_.push_back(part); }
  void add_after(std::size_t before, std::size_t part) {
    order_.insert(std::ranges::find(order_, before) + 1, part);
  }
  void remove(std::size_t part) { std::erase(order_, part); }
  bool has(std::size_t part) const { return std::ranges::find(order_, part) != order_.end(); }
  std::vector<std::size_t> all() const { return order_; }

  /// One process would stop in this part, unless one before it ends, too.
  void end_with(std::size_t part) { last_ = part; }
  bool is_last(std::size_t part) const { return last_ == part; }
  bool has_last() const { return last_.has_value(); }
  /// Of random schedules: those that are left to it come later.
  bool is_in_vain(std::size_t part) const {
    if (!last_ || part == *last_) return false;
    if (is_random_) return run_of(part) > run_of(*last_);
    return std::ranges::find(order_, part) > std::ranges::find(order_, *last_);
  }
  /// All others are done.
  bool is_settled() const { return order_.size() == (last_ ? 1 : 0); }

 private:
  std::uint64_t run_of(std::size_t part) const {
    std::string error;
    const auto* const head = explore::peek(processes_[part]->board().strategy_memory(), error);
    return head == nullptr ? 0 : static_cast<const explore::RandomHead*>(head)->run;
  }

  const Processes& processes_;
  const bool is_random_;
  std::vector<std::size_t> order_;
  std::optional<std::size_t> last_;
};

// All boards, and the processes that have something to do from the beginning. False: one of them
// cannot be started.
bool Watch::begin_parts(const Process::How& how, const explore::Options& what, Parts& parts) {
  Board& first = processes_.front()->board();
  while (std::cmp_less(processes_.size(), settings_.jobs)) {
    auto process = std::make_unique<Process>();
    if (!process->open()) break;
    processes_.push_back(std::move(process));
  }
  const std::size_t n = processes_.size();
  for (std::size_t i = 1; i < n; ++i) {
    Board& board = processes_[i]->board();
    prepare(board, first.command.options.reuse);
    board.result.end = SearchEnd::exhausted;
    board.sites = first.sites;
    board.suppressed = first.suppressed;
    const std::span<std::byte> memory = board.strategy_memory();
    std::fill_n(memory.data(), sizeof(explore::DfsHead), std::byte{});  // of the search before
  }
  if (what.kind == explore::Kind::dfs) return start_part(0, how, parts);
  for (std::size_t i = 0; i < std::min<std::size_t>(n, what.random.runs); ++i) {
    explore::Options part = what;
    part.random.first = i;
    part.random.stride = n;
    part.random.runs = (what.random.runs - i + n - 1) / n;
    std::string error;
    const bool is_made =
        explore::make(part, processes_[i]->board().strategy_memory(), error) != nullptr;
    if (!is_made || !start_part(i, how, parts)) return false;
  }
  return true;
}

bool Watch::start_part(std::size_t number, const Process::How& how, Parts& parts) {
  Board& board = processes_[number]->board();
  board.command.pause = board.command.resume = false;
  board.result.progress.paused = false;
  board.result.end = SearchEnd::running;
  if (!parts.has(number)) parts.add_last(number);
  return processes_[number]->start(how).empty();
}

// What one process would have made of it, too, or of no part in particular.
bool Watch::ends_all_parts(Ended ended) const {
  return limit_of(ended) != CutBy::nothing || ended == Ended::hung || ended == Ended::stopped ||
         was_killed(ended);
}

// Several processes on one search.
Watch::Ended Watch::run_workers(const Process::How& how, const explore::Options& what) {
  const bool is_random = what.kind != explore::Kind::dfs;
  Parts parts(processes_, is_random);
  const CatchInterrupt catcher;
  Ended why = Ended::by_itself;
  bool broken = !begin_parts(how, what, parts), is_over = broken;
  std::vector<Pulse> pulses(processes_.size());
  for (long pause = 100'000; !is_over; pause_a_little(pause)) {
    if (look_at_parts(parts, pulses, why)) break;
    std::uint64_t executions = 0;
    for (const auto& process : processes_)
      executions += process->board().result.progress.executions;
    if (!is_random && !parts.has_last() && executions > settings_.max_executions) break;
    if (parts.is_settled()) {
      if (parts.has_last() || is_random || !has_next_bound()) break;
      is_over = broken = !start_part(0, how, parts);
    }
    if (is_random || is_over) continue;
    switch (divide_work(how, parts)) {
      case Division::none: break;
      case Division::done: pause = 100'000; break;
      case Division::failed: is_over = broken = true; break;
    }
  }
  for (const auto& process : processes_) process->kill();
  sum_up_workers();
  Board& first = processes_.front()->board();
  // This applies even if the search has ended meanwhile: the verdict must not depend on speed.
  const SearchEnd end = first.result.end;
  const bool is_over_limit =
      !is_random && first.result.progress.executions > settings_.max_executions;
  if (is_over_limit && why == Ended::by_itself &&
      (end == SearchEnd::running || end == SearchEnd::exhausted))
    first.result.end = SearchEnd::limit;
  if (broken) { first.result.set_broken("the program could not be started again"); }
  return why;
}

// Whether all of them are over; `why`: as the part ended that ends the search.
bool Watch::look_at_parts(Parts& parts, std::vector<Pulse>& pulses, Ended& why) {
  for (const std::size_t i : parts.all()) {
    if (parts.is_last(i)) continue;
    Process& process = *processes_[i];
    runtime::SearchResult& result = process.board().result;
    if (parts.is_in_vain(i)) {
      process.kill();
      result.findings.clear();
      result.end = SearchEnd::exhausted;
      parts.remove(i);
      continue;
    }
    const Ended ended = look(process, pulses[i]);
    if (ended == Ended::by_itself && process.is_running()) continue;
    if (ended == Ended::by_itself && result.end == SearchEnd::exhausted) {
      parts.remove(i);
      continue;
    }
    why = ended;
    if (ended != Ended::by_itself && ends_all_parts(ended)) return true;
    parts.end_with(i);
  }
  return false;
}

// With few preemptions, then with more: when all parts are done, one of them begins with the next
// bound, if there are such schedules.
bool Watch::has_next_bound() {
  std::string error;
  bool is_cut = false;
  const auto first = explore::attach(processes_.front()->board().strategy_memory(), error);
  auto* const dfs = dynamic_cast<explore::Dfs*>(first.get());
  if (dfs == nullptr || dfs->dfs().bound >= dfs->dfs().last_bound) return false;
  for (const auto& process : processes_) {
    const auto* const head = explore::peek(process->board().strategy_memory(), error);
    if (head == nullptr) continue;  // it had no part yet
    const auto& part = static_cast<const explore::DfsHead&>(*head);
    is_cut |= part.cut > part.bound;
  }
  if (is_cut) dfs->restart(dfs->dfs().bound + 1);
  return is_cut;
}

// A worker that is asked for a part of its work waits between two executions while it is divided.
Watch::Division Watch::divide_work(const Process::How& how, Parts& parts) {
  std::size_t idle = 0;
  while (idle < processes_.size() && (processes_[idle]->is_running() || parts.has(idle))) ++idle;
  if (idle == processes_.size()) return Division::none;
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
  const bool given = dfs != nullptr && dfs->split(processes_[idle]->board().strategy_memory());
  from.command.pause = false;
  if (!given) return Division::none;
  parts.add_after(asked_, idle);
  return start_part(idle, how, parts) ? Division::done : Division::failed;
}

// What the parts of a search counted.
explore::StateHead Watch::sum_of_parts() const {
  explore::StateHead sum;
  std::string error;
  for (const auto& process : processes_) {
    const auto* const head = explore::peek(process->board().strategy_memory(), error);
    if (head == nullptr) continue;  // it had none
    sum.executions += head->executions;
    sum.pruned += head->pruned;
    sum.overflows += head->overflows;
  }
  return sum;
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
    for (std::uint32_t i = 0; i < board.suppressed.seen_count; ++i)
      first.suppressed.note(board.suppressed.seen[i].first, board.suppressed.seen[i].second);
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
