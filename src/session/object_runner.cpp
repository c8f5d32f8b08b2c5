// SPDX-License-Identifier: MIT
#include "session/object_runner.hpp"

#include <algorithm>

#include "explore/make.hpp"

namespace plumb::session {

using lineup::Matrix;
using lineup::Ran;
using runtime::Board;
using runtime::Result;
using runtime::Reuse;

namespace {

// Of twelve threads with one operation each there are 479 million.
constexpr std::uint64_t kMostSerially = 1'000'000;

void put(const Matrix& test, runtime::Matrix& matrix) {
  matrix.columns = static_cast<int>(test.columns.size());
  matrix.threads = {};
  std::size_t cell = 0;
  std::size_t column = 0;
  const auto add = [&](const lineup::Column& operations) {
    matrix.begin[column++] = static_cast<std::uint16_t>(cell);
    for (const int operation : operations)
      matrix.cells[cell++] = static_cast<std::uint16_t>(operation);
  };
  add(test.initial);
  for (const lineup::Column& operations : test.columns) add(operations);
  add(test.final);
  matrix.begin[column] = static_cast<std::uint16_t>(cell);
}

}  // namespace

lineup::History ObjectRunner::to_history(const HistoryRecord& record) {
  lineup::History history;
  history.stuck = record.stuck;
  history.schedule = record.schedule;
  history.heap = heap_;
  const Board& board = watch_.board();
  for (std::uint32_t i = 0; i < board.site_count; ++i)
    history.points.push_back(reinterpret_cast<std::uintptr_t>(board.sites[i]));
  for (const runtime::Event& event : record.events) {
    history.events.push_back(
        {event.operation, !event.is_call, event.is_call ? 0 : numbers_.at(event.value)});
  }
  return history;
}

Ran ObjectRunner::run(const Matrix& test, const Search& search, const OnHistory& on_history) {
  Ran ran;
  Board& board = watch_.board();
  bool stopped = false;
  std::uint64_t needed = 0;
  Process::How how = watch_.how(false);
  how.stays = true;
  how.on_name = [&](std::uint64_t number, std::string_view text) {
    numbers_[number] = results_.number(text);
  };
  how.on_history = [&](const HistoryRecord& record) {
    if (stopped || on_history(to_history(record))) return;
    // It is enough. (How many more there are until that is noticed is nobody's business.)
    stopped = true;
    needed = record.executions;
    board.max_executions = 0;
  };
  bool is_first = true;
  const double begin = seconds_now();
  heap_ = name_of(search.reuse);
  watch_.adjust = [&](Board& b) {
    put(test, b.matrix);
    b.forget = search.forget && is_first;
    b.options.serial = search.serial;
    b.options.stuck_is_bad = b.options.judges_stuck = true;  // by Definition 2
    b.options.race_is_bad = search.race_is_bad;
    if (search.serial) b.options.races = false;
  };
  for (bool again = true; again;) {
    again = false;
    watch_.prepare(board, search.reuse);
    board.max_executions = search.max_executions;
    board.resume = board.crashed = false;
    std::string error;
    if (explore::make(search.what, board.strategy_memory(), error) == nullptr) {
      ran.end = Ran::kUnusable;
      ran.reason = error;
      return ran;
    }
    const Watch::Ended ended = watch_.run(how);
    ran.executions += stopped ? needed : board.executions.load();
    ran.seconds = seconds_now() - begin;
    switch (ended) {
      case Watch::Ended::kTimedOut: return ran.end = Ran::kCut, ran.reason = "time", ran;
      case Watch::Ended::kInterrupted: return ran.end = Ran::kCut, ran.reason = "interrupted", ran;
      default: break;
    }
    if (ended != Watch::Ended::kByItself) {
      ran.reason = watch_.judge_end(ended, heap_);
      ran.end = !ran.reason.empty()               ? Ran::kCut
                : board.result == Result::kBroken ? Ran::kUnusable
                                                  : Ran::kFinding;
      if (ran.end == Ran::kUnusable) ran.reason = board.message;
    } else if (stopped) {
      ran.end = Ran::kStopped;
    } else {
      switch (board.result.load()) {
        case Result::kMoreSites:
          again = saw_races_ = true;
          is_first = false;
          break;
        case Result::kRunning:
        case Result::kFinding: ran.end = Ran::kFinding; break;
        case Result::kExhausted: break;
        case Result::kLimit:
          ran.end = Ran::kCut;
          ran.reason = "executions";
          break;
        case Result::kUnhooked:
          ran.end = Ran::kUnusable;
          ran.reason = kUnhookedText;
          break;
        case Result::kBroken:
          ran.end = Ran::kUnusable;
          ran.reason = board.message;
          break;
      }
    }
    // --keep-going: the search went on after it.
    if (!again && !stopped && board.found_count > 0 && ran.end != Ran::kUnusable)
      ran.end = Ran::kFinding;
    if (ran.end == Ran::kComplete && board.cut != 0) {
      ran.end = Ran::kCut;
      ran.reason = "steps";
    }
  }
  if (ran.end == Ran::kFinding) findings_ = watch_.found(heap_);
  return ran;
}

Ran ObjectRunner::serial(const Matrix& test, const OnHistory& on_history) {
  Search search;
  search.serial = true;
  switch_at({});
  search.max_executions = kMostSerially;
  Ran ran = run(test, search, on_history);
  if (ran.end == Ran::kCut && ran.reason == "executions")
    ran.reason = "it has more than a million serial executions";
  return ran;
}

std::vector<explore::Options> ObjectRunner::searches(int preemptions) const {
  const bool is_usual = preemptions == kUsual || !settings_.replay.empty();
  if (is_usual) return watch_.searches(settings_.preemptions);
  explore::Options bounded;
  bounded.dfs.first_bound = 0;
  bounded.dfs.last_bound = static_cast<std::uint32_t>(preemptions);
  return {bounded};
}

// First with few preemptions, which shows most mistakes soon; then, unless the user said how many,
// all schedules by partial-order reduction, where that does not take much longer. Both with freed
// memory that is never used again, and with such that is.
Ran ObjectRunner::concurrent(const Matrix& test, int preemptions, const OnHistory& on_history) {
  Board& board = watch_.board();
  board.freed = false;
  saw_races_ = false;
  switch_at({});  // what comes of a test is its own: it is not for others to say where it switches
  Ran all;
  all.all_schedules = true;
  std::uint64_t bounded = 0;  // executions of the search before
  const auto add = [&all, &board](const Ran& ran) {
    all.executions += ran.executions;
    all.seconds += ran.seconds;
    all.points = board.site_count;
  };
  for (const Reuse reuse : watch_.heaps()) {
    if (reuse != watch_.heaps().front() && !board.freed) break;
    for (const explore::Options& what : searches(preemptions)) {
      const bool is_extra =
          what.kind == explore::Kind::kDpor && settings_.strategy == SearchBy::kAuto;
      Search search;
      search.what = what;
      search.reuse = reuse;
      search.forget = all.executions == 0;
      search.max_executions = is_extra ? std::min(settings_.max_executions, 10'000 + 2 * bounded)
                                       : settings_.max_executions;
      Ran ran = run(test, search, on_history);
      bounded = ran.executions;
      add(ran);
      if (is_extra && ran.end == Ran::kCut && ran.reason == "executions") {
        all.all_schedules = false;
      } else if (ran.end != Ran::kComplete) {
        all.end = ran.end;
        all.reason = ran.reason;
        return all;
      }
      // Races were only places to switch at, so far. They are findings in their own right.
      if (saw_races_ && !settings_.ignore_race) {
        search.race_is_bad = true;
        ran = run(test, search, [](const lineup::History&) { return true; });
        add(ran);
        all.end = ran.end;
        all.reason = ran.reason;
        if (ran.end != Ran::kComplete) return all;
      }
    }
  }
  const bool is_whole = preemptions == kUsual &&
                        (settings_.strategy == SearchBy::kDpor || settings_.preemptions < 0 ||
                         (settings_.strategy == SearchBy::kAuto && !settings_.preemptions_given));
  all.all_schedules &= is_whole;
  return all;
}

void ObjectRunner::switch_at(const std::vector<std::uint64_t>& points) {
  Board& board = watch_.board();
  board.site_count = 0;
  for (const std::uint64_t point : points)
    board.sites[board.site_count++] = reinterpret_cast<const void*>(point);
}

void ObjectRunner::show(const Matrix& test, Shown& shown) {
  const bool is_race = shown.finding.kind == runtime::FindingKind::kRace;
  watch_.adjust = [&](Board& board) {
    put(test, board.matrix);
    board.options.stuck_is_bad = board.options.judges_stuck = true;
    board.options.race_is_bad = is_race;
  };
  watch_.show(shown);
  shown.names[0] = "main";
  for (int t = 1; t <= static_cast<int>(test.columns.size()); ++t) {
    const int thread = watch_.shown_board().matrix.threads[static_cast<std::size_t>(t - 1)];
    if (thread != 0) shown.names[thread] = lineup::thread_name(t);
  }
}

}  // namespace plumb::session
