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

void ObjectRunner::put(const Matrix& test) {
  runtime::Matrix& matrix = watch_.board().matrix;
  matrix.columns = static_cast<int>(test.columns.size());
  std::size_t cell = 0, column = 0;
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

lineup::History ObjectRunner::to_history(const HistoryRecord& record) {
  lineup::History history;
  history.stuck = record.stuck;
  history.schedule = record.schedule;
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
  Process::How how = watch_.how(false);
  how.stays = true;
  how.on_name = [&](std::uint64_t number, std::string_view text) {
    numbers_[number] = results_.number(text);
  };
  how.on_history = [&](const HistoryRecord& record) {
    if (stopped || on_history(to_history(record))) return;
    stopped = true;
    board.max_executions = 0;  // it is enough
  };
  const double begin = seconds_now();
  heap_ = name_of(search.reuse);
  for (bool again = true; again;) {
    again = false;
    watch_.prepare(board, search.reuse);
    put(test);
    board.options.serial = search.serial;
    board.options.stuck_is_bad = false;
    board.options.race_is_bad = search.race_is_bad;
    if (search.serial) board.options.races = false;
    board.max_executions = search.max_executions;
    board.resume = board.crashed = false;
    std::string error;
    if (explore::make(search.what, board.strategy_memory(), error) == nullptr) {
      ran.end = Ran::kUnusable;
      ran.reason = error;
      return ran;
    }
    const Watch::Ended ended = watch_.run(how);
    ran.executions += board.executions;
    ran.seconds = seconds_now() - begin;
    switch (ended) {
      case Watch::Ended::kTimedOut: return ran.end = Ran::kCut, ran.reason = "time", ran;
      case Watch::Ended::kInterrupted: return ran.end = Ran::kCut, ran.reason = "interrupted", ran;
      default: break;
    }
    if (ended != Watch::Ended::kByItself) {
      watch_.note_end(ended);
      ran.end = Ran::kFinding;
    } else if (stopped) {
      ran.end = Ran::kStopped;
    } else {
      switch (board.result.load()) {
        case Result::kMoreSites: again = saw_races_ = true; break;
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
  search.max_executions = ~std::uint64_t{0};
  return run(test, search, on_history);
}

// First with few preemptions, which shows most mistakes soon; then, unless the user said how many,
// all schedules by partial-order reduction, where that does not take much longer. Both with freed
// memory that is never used again, and with such that is.
Ran ObjectRunner::concurrent(const Matrix& test, int preemptions, const OnHistory& on_history) {
  Board& board = watch_.board();
  board.freed = false;
  saw_races_ = false;
  Ran all;
  all.all_schedules = true;
  for (const Reuse reuse : watch_.heaps()) {
    if (reuse != watch_.heaps().front() && !board.freed) break;
    for (const explore::Options& what : watch_.searches(preemptions)) {
      const bool is_extra =
          what.kind == explore::Kind::kDpor && settings_.strategy == SearchBy::kAuto;
      Search search;
      search.what = what;
      search.reuse = reuse;
      search.max_executions = is_extra
                                  ? std::min(settings_.max_executions, 10'000 + 2 * all.executions)
                                  : settings_.max_executions;
      Ran ran = run(test, search, on_history);
      all.executions += ran.executions;
      all.seconds += ran.seconds;
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
        all.executions += ran.executions;
        all.seconds += ran.seconds;
        all.end = ran.end;
        all.reason = ran.reason;
        if (ran.end != Ran::kComplete) return all;
      }
    }
  }
  if (settings_.strategy == SearchBy::kPct || settings_.strategy == SearchBy::kPos ||
      settings_.strategy == SearchBy::kRandom || settings_.preemptions_given)
    all.all_schedules = settings_.preemptions < 0 && settings_.preemptions_given;
  return all;
}

Shown ObjectRunner::show(const Matrix& test, const std::vector<std::uint8_t>& schedule,
                         const std::string& heap) {
  Shown shown;
  shown.schedule = schedule;
  shown.heap = heap;
  watch_.show(shown, [&] {
    put(test);
    watch_.board().options.stuck_is_bad = false;
    watch_.board().options.race_is_bad = false;
  });
  return shown;
}

}  // namespace plumb::session
