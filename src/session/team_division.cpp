// SPDX-License-Identifier: MIT
// How a search that runs is divided among processes, and how its parts are joined.
//
// Whoever has nothing to do gets a part of what another process has not begun, which is about half
// of it for a depth-first search, and one choice for partial-order reduction.
//
// Partial-order reduction learns from one part what else the next one has to explore. There, what
// comes after a part that was given away is a part of its own, which begins when both are done.
#include <algorithm>
#include <span>
#include <utility>

#include "explore/make.hpp"
#include "session/team.hpp"

namespace plumb::session {

using runtime::Board;

// One that may work now. A core is borrowed for it.
std::optional<std::size_t> Team::free_worker() {
  if (running() >= 1 + borrowed_) {
    if (!cores_.borrow()) return std::nullopt;
    ++borrowed_;
  }
  for (std::size_t i = 0; i < workers_.size(); ++i)
    if (workers_[i].part == nullptr) return i;
  auto process = std::make_unique<Process>();
  can_grow_ = can_grow_ && process->open().ok();
  if (!can_grow_) return std::nullopt;
  watch_.processes_.push_back(std::move(process));
  workers_.emplace_back();
  return workers_.size() - 1;
}

void Team::return_cores() {
  const unsigned used = std::max(1U, running()) - 1;
  if (borrowed_ <= used) return;
  cores_.give_back(borrowed_ - used);
  borrowed_ = used;
}

bool Team::start_ready_parts() {
  bool any = false;
  for (Part& part : parts_) {
    if (part.state != Part::State::ready || is_over_) continue;
    const auto worker = free_worker();
    if (!worker) break;
    explore::load(std::as_bytes(std::span(part.memory)), board(*worker).strategy_memory());
    part.memory.clear();
    start(part, *worker);
    any = true;
  }
  return any;
}

// Code that is not instrumented is found while it runs (runtime/unseen), by one process.
bool Team::is_to_be_asked(std::size_t worker, double now) const {
  const runtime::UnseenList& unseen = board(worker).unseen;
  return runs(worker) && now >= workers_[worker].ask_at && !unseen.any() && !unseen.watch_all;
}

// A worker that is asked for a part of its work waits between two executions while it is divided.
bool Team::divide() {
  const double now = seconds_now();
  if (now < divide_at_ || is_over_) return false;
  const std::size_t n = workers_.size();
  std::size_t tried = 0;
  for (; tried < n && !is_to_be_asked(asked_ % n, now); ++tried)
    board(asked_++ % n).command.pause = false;
  if (tried == n) return false;
  const std::size_t from = asked_ % n;
  const auto to = free_worker();
  if (to && !pauses(from)) return false;
  const bool is_given = to && give(from, *to);
  board(from).command.pause = false;
  Worker& asked = workers_[from];
  asked.refusals = is_given ? 0 : std::min(asked.refusals + 1, 5);
  asked.ask_at = now + kLeastPartSeconds * (1 << asked.refusals);
  ++asked_;
  return is_given;
}

// Its execution may take longer: then it is looked at again. If it waited before, it must first
// have noticed that this is over.
bool Team::pauses(std::size_t worker) const {
  Board& its = board(worker);
  if (!its.command.pause && its.result.progress.paused) return false;
  its.command.pause = true;
  for (int i = 0; i < 20 && !its.result.progress.paused; ++i) Process::sleep(20'000);
  return its.result.progress.paused;
}

bool Team::give(std::size_t from, std::size_t to) {
  std::string error;
  const auto strategy = explore::attach(board(from).strategy_memory(), error);
  if (strategy == nullptr || !strategy->split(board(to).strategy_memory())) return false;
  start(add_given(*workers_[from].part, strategy->joins()), to);
  watch_.was_divided_ = true;
  return true;
}

Part& Team::add_given(Part& giver, bool joins) {
  const auto at = std::ranges::find_if(parts_, [&](const Part& part) { return &part == &giver; });
  Part& given = *parts_.emplace(std::next(at));
  if (!joins) return given;
  Part& next = *parts_.emplace(std::next(at, 2));
  next.state = Part::State::waits;
  next.next = giver.next;
  next.was_given = giver.was_given;
  giver.next = given.next = &next;
  giver.was_given = false;
  given.was_given = true;
  return given;
}

// To the part that continues it, which may then have nothing to do.
void Team::hand_on(Part& part) {
  for (Part* done = &part; done != nullptr && done->next != nullptr;) {
    Part& next = *std::exchange(done->next, nullptr);
    (done->was_given ? next.given : next.memory) = std::move(done->memory);
    const bool is_complete = !next.memory.empty() && !next.given.empty();
    done = is_complete && !join(next) ? &next : nullptr;
  }
}

// Whether something is left.
bool Team::join(Part& part) {
  std::string error;
  part.memory.resize(part.memory.size() + part.given.size());
  const auto strategy = explore::attach(std::as_writable_bytes(std::span(part.memory)), error);
  const bool is_more = strategy->join(std::as_bytes(std::span(part.given)));
  part.given.clear();
  part.state = is_more ? Part::State::ready : Part::State::done;
  part.memory.resize((strategy->used().size() + 7) / 8);
  return is_more;
}

}  // namespace plumb::session
