// SPDX-License-Identifier: MIT
// One search in several processes, each with a part of the schedules.
//
// A part is divided while its process waits between two executions (FlatStrategy::split). What is
// given away comes after what is kept, in the order in which one process would run all of it. So
// the parts have an order, and their results are merged in this order. Histories of a part wait
// until all parts before it are done. They are then passed on as one process would send them: each
// once, where it is seen first, with the number of executions up to there. The search ends with the
// first end in this order: when a part ends with a finding, the parts after it are stopped, and the
// parts before it continue, because one process would have come to their findings first. The limit
// of executions is an end like others: a part is stopped when those before it have reached it.
//
// So the result does not depend on how a search was divided, unless it is cut from outside: by the
// time, by memory, or by an interrupt. Then everything found so far is passed on.
#include "session/team.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "explore/make.hpp"
#include "session/interrupts.hpp"

namespace plumb::session {

using lineup::CutBy;
using runtime::Board;
using runtime::SearchEnd;
using Ended = Watch::Ended;

Team::Team(Watch& watch, const Process::How& how, Cores& cores, double alone)
    : watch_(watch), how_(how), ends_processes_(!how.stays), cores_(cores),
      divide_at_(seconds_now() + alone), reuse_(watch.board().command.options.reuse),
      most_(watch.board().command.max_executions),
      every_history_(watch.board().command.options.every_history) {
  how_.stays = true;
  if (watch.board().command.forget) watch.heard_.clear();
}

Team::~Team() { cores_.give_back(borrowed_); }

Ended Team::run() {
  std::optional<CatchInterrupt> catcher;
  if (!watch_.catcher_ && watch_.stop_ == nullptr) catcher.emplace();  // nobody else has
  start_first();
  constexpr long kShort = 100'000, kLong = 10'000'000;
  for (long pause = kShort; !is_over_; pause = std::min(2 * pause, kLong)) {
    bool is_new = false;
    for (std::size_t i = 0; i < workers_.size() && !is_over_; ++i) is_new |= look_at(i);
    if (!is_over_) advance_front();
    if (is_over_) break;
    drop_what_is_in_vain();
    is_new |= start_ready_parts();
    is_new |= divide();
    return_cores();
    if (is_new) pause = kShort;
    if (!is_over_) wait(pause);
  }
  stop_workers();
  sum_up();
  return why_;
}

// --- processes -----------------------------------------------------------------------------------

bool Team::runs(std::size_t worker) const {
  const Part* const part = workers_[worker].part;
  return part != nullptr && part->state == Part::State::running;
}

unsigned Team::running() const {
  unsigned count = 0;
  for (std::size_t i = 0; i < workers_.size(); ++i) count += runs(i);
  return count;
}

void Team::start_first() {
  workers_.resize(watch_.processes_.size());
  Board& first = board(0);
  Counted before;  // by earlier searches
  before.wrote_prior_heap = first.remarks.wrote_prior_heap;
  before.guessed = first.remarks.guessed;
  before.could_reuse = first.remarks.could_reuse;
  before.read_thread_id = first.remarks.read_thread_id;
  sum_ = before;
  first.remarks.reset();
  // It may have seen histories in a part that was dropped. What was passed on is known here.
  first.command.forget = first.command.forget || watch_.was_divided_;
  watch_.was_divided_ = false;
  Part& part = parts_.emplace_back();
  workers_[0].part = &part;
  std::string error;
  if (const auto* const head = explore::peek(first.strategy_memory(), error)) part.before = *head;
  begin_process(0);
}

// A part whose search is in the memory of this worker.
void Team::start(Part& part, std::size_t worker) {
  Worker& its = workers_[worker];
  Board& here = board(worker);
  const Board& first = board(0);
  watch_.prepare(here, reuse_);
  here.command.forget = must_forget(its, part);
  here.command.max_executions = most_;
  here.remarks.reset();
  if (worker != 0) {
    here.sites = first.sites;
    here.unseen = first.unseen;
    here.suppressed = first.suppressed;
  }
  here.suppressed.seen_count = 0;
  std::string error;
  if (const auto* const head = explore::peek(here.strategy_memory(), error)) part.before = *head;
  part.worker = worker;
  part.state = Part::State::running;
  its.part = &part;
  begin_process(worker);
}

void Team::begin_process(std::size_t worker) {
  Worker& its = workers_[worker];
  Board& here = board(worker);
  here.result.end = SearchEnd::running;
  here.command.pause = here.result.progress.paused = false;
  its.has_run = true;
  its.last = its.part;
  its.pulse = {};
  its.ask_at = seconds_now() + kLeastPartSeconds;
  its.refusals = 0;
  Process::How how = how_;
  how.on_history = [this, worker](const HistoryRecord& record) { hear(worker, record); };
  if (const std::string error = process(worker).start(how); !error.empty()) fail(error);
}

void Team::fail(const std::string& why) {
  is_over_ = is_broken_ = true;
  board(0).result.set_broken(why.c_str());
}

// A process does not send a history again that it sent of another part. That is right if the other
// part comes before this one.
bool Team::must_forget(const Worker& worker, const Part& part) const {
  if (!worker.has_run) return true;
  if (worker.last == nullptr) return false;
  for (const Part& other : parts_) {
    if (&other == worker.last) return false;
    if (&other == &part) break;
  }
  return true;
}

// --- what becomes of them ------------------------------------------------------------------------

// Whether there is something to do now.
bool Team::look_at(std::size_t worker) {
  if (!runs(worker)) return false;
  Worker& its = workers_[worker];
  Part& part = *its.part;
  const Ended why = watch_.look(process(worker), its.pulse);
  if (is_over_ || (why == Ended::by_itself && process(worker).is_running())) return false;
  const bool is_from_outside =
      Watch::limit_of(why) != CutBy::nothing || why == Ended::stopped || watch_.was_killed(why);
  if (is_from_outside) {
    is_over_ = true;
    why_ = why;
  } else if (why == Ended::by_itself && board(worker).result.end == SearchEnd::exhausted) {
    finish(part);
  } else {
    end(part, why);
  }
  return true;
}

void Team::finish(Part& part) {
  Board& here = board(part.worker);
  part.state = Part::State::done;
  part.counted = Counted::of(here, part.before);
  std::string error;
  const auto strategy = explore::attach(here.strategy_memory(), error);
  if (const auto* const dfs = dynamic_cast<const explore::Dfs*>(strategy.get()))
    bound_cut_ = std::max(bound_cut_, dfs->dfs().cut);
  if (part.next != nullptr) {
    const std::span<const std::byte> used = strategy->used();
    part.memory.resize((used.size() + 7) / 8);
    std::ranges::copy(used, std::as_writable_bytes(std::span(part.memory)).begin());
  }
  here.result.progress.reset();  // is counted
  workers_[part.worker].part = nullptr;
  hand_on(part);
}

void Team::end(Part& part, Ended why) {
  part.state = Part::State::ended;
  part.why = why;
  part.status = process(part.worker).status();
  part.counted = Counted::of(board(part.worker), part.before);
}

// What one process would not come to: because of an end before it, or of too many executions.
void Team::drop_what_is_in_vain() {
  std::uint64_t before = sum_.executions;
  for (auto part = parts_.begin(); part != parts_.end(); ++part) {
    const bool is_known = part->state != Part::State::waits;  // else it may be empty
    if (part != parts_.begin() && is_known && before >= most_) return drop_from(part);
    if (part->state == Part::State::ended) return drop_from(std::next(part));
    if (part->state == Part::State::running) {
      Board& here = board(part->worker);
      here.command.max_executions = most_ - std::min(before, most_);
      before += here.result.progress.executions;
    } else {
      before += part->counted.executions;
    }
  }
}

void Team::drop_from(std::list<Part>::iterator first) {
  while (parts_.end() != first) {
    Part& part = parts_.back();
    for (Part& other : parts_)
      if (other.next == &part) other.next = nullptr;
    if (part.state == Part::State::running) process(part.worker).kill();
    const bool has_worker = part.state == Part::State::running || part.state == Part::State::ended;
    if (has_worker) {
      workers_[part.worker] = {};
      board(part.worker).result.progress.reset();
    }
    free(part);
    const bool is_last = &*first == &part;
    parts_.pop_back();
    if (is_last) break;
  }
}

// Before it is destroyed.
void Team::free(Part& part) {
  for (Worker& worker : workers_)
    if (worker.last == &part) worker.last = nullptr;
}

// --- histories, in order ---------------------------------------------------------------------

void Team::hear(std::size_t worker, const HistoryRecord& record) {
  Part* const part = workers_[worker].part;
  if (is_over_ || part == nullptr) return;
  if (part == &parts_.front()) pass_on(record);
  else if (every_history_ || !watch_.heard_.contains(record.hash))
    part->histories.push_back(record);
}

// Of the first part.
void Team::pass_on(HistoryRecord record) {
  record.executions += sum_.executions;
  if (record.executions > most_) {
    is_over_ = is_over_limit_ = true;
    return;
  }
  if (!every_history_ && !watch_.heard_.insert(record.hash).second) return;
  ++sum_.histories;
  if (!how_.on_history) return;
  add(sum_.compared, record.compared);
  how_.on_history(record);
  is_over_ = was_enough_ = how_.is_enough && how_.is_enough();
}

void Team::advance_front() {
  for (bool is_new = false; !is_over_ && !parts_.empty(); is_new = true) {
    Part& front = parts_.front();
    if (is_new && front.state != Part::State::done && sum_.executions >= most_) {
      is_over_ = is_over_limit_ = true;
      return;
    }
    for (HistoryRecord& record : std::exchange(front.histories, {}))
      if (!is_over_) pass_on(std::move(record));
    if (is_over_) return;
    if (front.state == Part::State::ended) end_with(front);
    if (front.state != Part::State::done) return;
    sum_.add(front.counted);
    free(front);
    parts_.pop_front();
    is_over_ = is_over_limit_ = sum_.executions > most_;
  }
  if (!is_over_) begin_next_bound();
}

// One process would have stopped at the limit, if this end was beyond it. (An execution that
// crashed or hung is not counted.)
void Team::end_with(Part& part) {
  const std::uint64_t executions = sum_.executions + part.counted.executions;
  const bool is_counted = part.why == Ended::by_itself;
  is_over_ = true;
  is_over_limit_ = executions > most_ || (!is_counted && executions >= most_);
  if (is_over_limit_) return;
  why_ = part.why;
  end_ = &part;
}

// With few preemptions, then with more: when all parts are done, one of them begins with the next
// bound, if there are such schedules.
void Team::begin_next_bound() {
  std::string error;
  const auto first = explore::attach(board(0).strategy_memory(), error);
  auto* const dfs = dynamic_cast<explore::Dfs*>(first.get());
  is_over_ =
      dfs == nullptr || dfs->dfs().bound >= dfs->dfs().last_bound || bound_cut_ <= dfs->dfs().bound;
  if (is_over_) return;
  is_over_ = is_over_limit_ = sum_.executions >= most_;
  if (is_over_) return;
  dfs->restart(dfs->dfs().bound + 1);
  start(parts_.emplace_back(), 0);
}

// --- the end -------------------------------------------------------------------------------------

// Processes that may be needed again are only asked to stop.
void Team::stop_workers() {
  for (std::size_t i = 0; i < workers_.size(); ++i) board(i).command.max_executions = 0;
  for (std::size_t i = 0; i < workers_.size(); ++i) board(i).command.pause = false;
  const bool is_cut = Watch::limit_of(why_) != CutBy::nothing;
  for (int i = 0; i < 100 && !is_cut && !ends_processes_; ++i) {
    bool any = false;
    for (std::size_t worker = 0; worker < workers_.size(); ++worker)
      any |= runs(worker) && process(worker).poll();
    if (!any) break;
    Process::sleep(200'000);
  }
  for (std::size_t i = 0; i < workers_.size(); ++i)
    if (process(i).is_running() || ends_processes_) process(i).kill();
}

// The first board stands for all of them.
void Team::sum_up() {
  Board& first = board(0);
  // A search that was cut from outside: all that it found so far.
  const bool is_cut = is_over_ && end_ == nullptr && !is_over_limit_ && !was_enough_;
  is_over_ = false;
  for (Part& part : parts_) {
    if (part.state == Part::State::running)
      part.counted = Counted::of(board(part.worker), part.before);
    for (HistoryRecord& record : part.histories)
      if (is_cut && !is_over_) pass_on(std::move(record));
    sum_.add(part.counted);
    if (&part == end_) break;
  }
  if (is_over_limit_) sum_.executions = most_;
  if (is_over_limit_) first.result.end = SearchEnd::limit;
  else if (parts_.empty()) first.result.end = SearchEnd::exhausted;
  else if (end_ == nullptr && !is_broken_) first.result.end = SearchEnd::running;
  if (end_ != nullptr) {
    Process& ended = process(end_->worker);
    runtime::SearchResult& result = ended.board().result;
    if (why_ != Ended::by_itself) {
      watch_.ended_ = &ended;
      watch_.status_ = end_->status;
    }
    first.result.set_end(result.end, result.message);
    first.result.endless = result.endless;
    first.sites = ended.board().sites;
  }
  sum_.write_to(first);
  std::string error;
  const auto strategy = explore::attach(first.strategy_memory(), error);
  if (auto* const dfs = dynamic_cast<explore::Dfs*>(strategy.get())) dfs->note_cut(bound_cut_);
}

void Team::wait(long nanoseconds) const {
  std::vector<const Process*> all;
  for (std::size_t i = 0; i < workers_.size(); ++i)
    if (runs(i)) all.push_back(&process(i));
  Process::wait(all, nanoseconds);
}

}  // namespace plumb::session
