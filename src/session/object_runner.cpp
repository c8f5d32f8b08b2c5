// SPDX-License-Identifier: MIT
#include "session/object_runner.hpp"

#include <algorithm>

#include "explore/make.hpp"
#include "explore/schedule.hpp"
#include "session/findings.hpp"
#include "session/steps.hpp"
#include "session/unseen_code.hpp"

namespace plumb::session {

using lineup::Cut;
using lineup::CutBy;
using lineup::Matrix;
using lineup::RunResult;
using runtime::Board;
using runtime::SearchEnd;

namespace {

// Of twelve threads with one operation each there are 479 million.
constexpr std::uint64_t kMostSerially = 1'000'000;

// Why it does not fit on the board; empty: it does.
std::string too_big(const Matrix& test) {
  using Most = runtime::FlatMatrix;
  if (test.columns.size() > Most::kColumns) {
    return "it has more than " + std::to_string(Most::kColumns) +
           " threads, each asynchronous call counted as one";
  }
  if (lineup::size(test) > Most::kCells)
    return "it has more than " + std::to_string(Most::kCells) + " operations";
  if (test.after.size() > Most::kPairs) return "its asynchronous calls wait for too many others";
  return {};
}

// Requires: it is not too big.
void put(const Matrix& test, runtime::FlatMatrix& matrix) {
  matrix.columns = static_cast<int>(test.columns.size());
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
  matrix.pairs = 0;
  for (const auto& [first, second] : test.after) {
    matrix.order[static_cast<std::size_t>(matrix.pairs++)] = {static_cast<std::uint16_t>(first),
                                                              static_cast<std::uint16_t>(second)};
  }
}

void end_like(const RunResult& ran, RunResult& all) {
  all.end = ran.end;
  all.cut = ran.cut;
  all.reason = ran.reason;
  all.finding = ran.finding;
  all.what = ran.what;
}

// Of a search that is complete: whether there was no other schedule.
bool saw_every_schedule(const explore::StateHead* head) {
  if (head == nullptr || head->kind != explore::Kind::dfs)
    return head != nullptr && head->kind == explore::Kind::dpor;
  const auto& dfs = static_cast<const explore::DfsHead&>(*head);
  return dfs.bound == explore::kUnbounded || dfs.cut <= dfs.bound;
}

void set(ObjectRunner::Runs runs, runtime::Options& options) {
  options.serial = runs != ObjectRunner::Runs::concurrently;
  options.specifies = runs == ObjectRunner::Runs::specification;
  options.stuck_is_bad = options.judges_stuck = true;  // by Definition 2
}

}  // namespace

ObjectRunner::ObjectRunner(Watch& watch, const Settings& settings,
                           const ObjectSettings& object_settings, Cores* cores,
                           lineup::Results* results)
    : watch_(watch), settings_(settings), cores_(cores), compare_(settings.compare),
      every_history_(!object_settings.campaign.check.by.quasi.dedup),
      results_(results == nullptr ? own_results_ : *results) {
  results_.number(kLeftOut);
  std::string wrong;
  if (!settings.first.empty() && settings.replay.empty())
    first_ = explore::parse_schedule(settings.first, wrong).value_or(std::vector<std::uint8_t>());
}

lineup::ObservedHistory ObjectRunner::to_history(const HistoryRecord& record) {
  lineup::ObservedHistory history;
  history.stuck = record.stuck;
  history.schedule = record.schedule;
  history.heap = heap_;
  history.points = points_;
  for (const runtime::OperationEvent& event : record.events) {
    history.events.push_back(
        {event.operation, !event.is_call, event.is_call ? 0 : numbers_.at(event.value)});
  }
  return history;
}

bool ObjectRunner::is_same(const std::optional<HistoryRecord>& replayed,
                           const lineup::ObservedHistory& history) const {
  if (!replayed || replayed->stuck != history.stuck) return false;
  return std::ranges::equal(
      replayed->events, history.events,
      [this](const runtime::OperationEvent& event, const lineup::ObservedEvent& seen) {
        if (event.operation != seen.operation || event.is_call == seen.is_return) return false;
        const auto number = numbers_.find(event.value);
        return event.is_call || (number != numbers_.end() && number->second == seen.result);
      });
}

lineup::Alarms ObjectRunner::to_alarms(const runtime::Compared& compared) const {
  const runtime::KeptFinding& first = watch_.board().result.first_cycle;
  lineup::Alarms alarms{.executions = compared.executions,
                        .racy = compared.racy,
                        .cyclic = compared.cyclic,
                        .cut = compared.cut,
                        .schedule = {},
                        .heap = heap_,
                        .points = points_};
  if (compared.cyclic > 0)
    alarms.schedule.assign(first.schedule.begin(), first.schedule.begin() + first.choices);
  return alarms;
}

// The process stays for the next search; histories come as it finds them.
Process::How ObjectRunner::listen(Heard& heard, const OnHistory& on_history) {
  Process::How how = watch_.how(false);
  how.stays = true;
  how.on_name = [this](std::uint64_t number, std::string_view text) {
    numbers_[number] = results_.number(text);
  };
  how.on_history = [this, &heard, &on_history](const HistoryRecord& record) {
    if (heard.enough || on_history(to_history(record))) return;
    // How many more executions there are until that is noticed does not matter.
    heard.enough = true;
    heard.executions = record.executions;
    heard.compared = record.compared;
    watch_.board().command.max_executions = 0;
  };
  how.is_enough = [&heard] { return heard.enough; };
  return how;
}

void ObjectRunner::order(const Matrix& test, const SearchRequest& search, bool is_first,
                         runtime::Command& command) const {
  runtime::Options& options = command.options;
  put(test, command.matrix);
  command.forget = search.forget && is_first;
  set(search.runs, options);
  options.race_is_bad = search.race_is_bad;
  // Races that are looked for in their own right were counted before.
  options.compare = compare_ && !options.serial && !search.race_is_bad;
  if (options.compare) options.races = true;
  // Where a plain access races, the call comes before it, also if threads are not switched there.
  if (settings_.schedule_at == ScheduleAt::atomics) options.races = true;
  if (options.serial) options.races = false;
  options.every_history = every_history_ && !options.serial;
  if (confirms_ != runtime::Options::CallPoints::none) options.call_points = confirms_;
}

// The process did not end by itself.
void ObjectRunner::judge_end(Watch::Ended ended, RunResult& ran) {
  runtime::Board& board = watch_.board();
  const std::string silence = watch_.silence_text();  // of this end: the next one is known sooner
  ran.cut = watch_.judge_end(ended, heap_);
  ran.end = ran.cut                                 ? RunResult::End::cut
            : board.result.end == SearchEnd::broken ? RunResult::End::unusable
                                                    : RunResult::End::finding;
  if (ran.end == RunResult::End::unusable) ran.reason = board.result.message;
  // What does not even end by itself has no specification.
  if (ran.end == RunResult::End::finding && ended == Watch::Ended::hung &&
      board.command.options.serial) {
    ran.end = RunResult::End::cut;
    ran.hung = true;
    ran.cut = Cut::because("a serial run does not end: " + silence +
                           "; --without METHOD leaves an operation out");
    board.result.findings.clear();
  }
}

// "inc() took 100001 steps and did not return, the last at counter.hpp:8 (...)"
std::string ObjectRunner::why_endless() const {
  const runtime::SearchResult& result = watch_.board().result;
  Symbols symbols(watch_.board());
  symbols.add({result.endless.pc.data(), static_cast<std::size_t>(result.endless.depth)});
  symbols.look_up();
  std::string text = result.message;
  for (const report::Frame& frame : stack_of(result.endless, symbols).frames) {
    if (frame.of_library) continue;
    text += ", the last at " + frame.place();
    break;
  }
  return result.progress.cut == 0 ? text : text + " (--max-steps allows more)";
}

bool ObjectRunner::calls_may_be_late() const {
  return !watch_.board().unseen.any() && settings_.replay.empty() && first_.empty();
}

// First all accesses are watched, whatever hooks say; then the calls come early.
void ObjectRunner::distrust() {
  runtime::UnseenList& unseen = watch_.board().unseen;
  if (unseen.watch_all) unseen.by_effect = true;
  unseen.watch_all = true;
  watch_.end_process();  // the next one is to be watched from its beginning
}

void ObjectRunner::distrust_like(const ObjectRunner& other) {
  runtime::UnseenList& unseen = watch_.board().unseen;
  const runtime::UnseenList& seen_by_other = other.watch_.board().unseen;
  unseen.watch_all |= seen_by_other.watch_all;
  unseen.by_effect |= seen_by_other.by_effect;
  for (const void* const function : seen_by_other.all()) unseen.add(function);
}

std::string ObjectRunner::unseen() const {
  return report::unseen_words(unseen_code(watch_.board()));
}

// The process said how the search ended. Whether it has to start again.
bool ObjectRunner::judge_result(RunResult& ran) {
  const runtime::SearchResult& result = watch_.board().result;
  switch (result.end.load()) {
    case SearchEnd::more_sites:
      ran.alarms = {};  // of other schedules than those of the search that begins now
      return true;
    case SearchEnd::running:
    case SearchEnd::finding: ran.end = RunResult::End::finding; break;
    case SearchEnd::exhausted: break;
    case SearchEnd::limit:
      ran.end = RunResult::End::cut;
      ran.cut = {CutBy::executions};
      break;
    case SearchEnd::endless:
      ran.end = RunResult::End::cut;
      ran.cut = Cut::because(why_endless(), StopReason::search_limit);
      break;
    case SearchEnd::unhooked:
      ran.end = RunResult::End::unusable;
      ran.reason = kUnhookedText;
      break;
    case SearchEnd::broken:
      ran.end = RunResult::End::unusable;
      ran.reason = result.message;
      break;
  }
  return false;
}

RunResult ObjectRunner::run(const Matrix& test, const SearchRequest& search,
                            const OnHistory& on_history) {
  RunResult ran;
  if (const std::string why = too_big(test); !why.empty())
    return ran.end = RunResult::End::cut, ran.cut = Cut::because(why), ran;
  Board& board = watch_.board();
  board.remarks.guessed = false;
  board.suppressed.clear();
  Heard heard;
  const Process::How how = listen(heard, on_history);
  const double begin = seconds_now();
  heap_ = search.reuse;
  bool is_first = true;
  watch_.adjust = [&](Board& b) { order(test, search, is_first, b.command); };
  for (bool again = true; again; is_first = false) {
    watch_.prepare(board, search.reuse);
    board.command.max_executions = search.max_executions;
    std::string error;
    if (explore::make(search.what, board.strategy_memory(), error) == nullptr)
      return ran.end = RunResult::End::unusable, ran.reason = error, ran;
    // The points of a history: by the time it is read here, the board may have more of them.
    points_.clear();
    for (const void* const pc : board.sites.all())
      points_.push_back(reinterpret_cast<std::uintptr_t>(pc));
    const Watch::Ended ended = run_search(how);
    const runtime::SearchResult& result = board.result;
    ran.executions += heard.enough ? heard.executions : result.progress.executions.load();
    ran.alarms.add(to_alarms(heard.enough ? heard.compared : result.compared));
    ran.seconds = seconds_now() - begin;
    ran.guessed = board.remarks.guessed;
    again = watch_.drop_suppressed(ended, ran.suppressed) && !heard.enough;
    if (const CutBy limit = Watch::limit_of(ended); limit != CutBy::nothing) {
      ran.end = RunResult::End::cut;
      ran.cut = {limit};
      return ran;
    }
    if (again) continue;
    if (ended != Watch::Ended::by_itself) judge_end(ended, ran);
    else if (heard.enough) ran.end = RunResult::End::stopped;
    else again = judge_result(ran);
    // --keep-going: the search continued after it.
    if (!again && !heard.enough && result.findings.count > 0 &&
        ran.end != RunResult::End::unusable) {
      ran.end = RunResult::End::finding;
      ran.cut = {};
    }
    if (again || ran.end != RunResult::End::complete) continue;
    const explore::StateHead* const head = explore::peek(board.strategy_memory(), error);
    const bool is_too_deep = head != nullptr && head->overflows != 0;
    if (result.progress.cut != 0) ran.cut = why_cut(board);
    else if (is_too_deep) ran.cut = {CutBy::depth};
    if (ran.cut) ran.end = RunResult::End::cut;
    else
      ran.all_schedules =
          search.runs == Runs::concurrently && !board.unseen.any() && saw_every_schedule(head);
  }
  ran.blind = board.result.blind;
  if (ran.end == RunResult::End::finding) note_findings(test, ran);
  return ran;
}

RunResult ObjectRunner::serial(const Matrix& test, const OnHistory& on_history) {
  specified_ = test;
  return run_serially(test, Runs::specification, on_history);
}

RunResult ObjectRunner::run_serially(const Matrix& test, Runs runs, const OnHistory& on_history) {
  SearchRequest search;
  search.runs = runs;
  switch_at({});
  search.max_executions = std::max(kMostSerially, settings_.max_executions);
  const bool is_replay = runs == Runs::serially && !settings_.replay.empty();
  if (is_replay) search.what = watch_.searches(0).front();
  RunResult ran = run(test, search, on_history);
  if (ran.cut.by == CutBy::executions)
    ran.cut = Cut::because("it has too many serial executions (--max-executions allows more)");
  return ran;
}

// The schedule of a version of the code that may be gone. Complete: it did not fit, or nothing was
// wrong.
RunResult ObjectRunner::run_first(const Matrix& test, const OnHistory& on_history) {
  SearchRequest search;
  search.what.kind = explore::Kind::replay;
  search.what.schedule = first_;
  search.max_executions = settings_.max_executions;
  RunResult all;
  for (const Reuse reuse : watch_.heaps()) {
    for (const bool race_is_bad : {false, true}) {
      if (race_is_bad && settings_.ignore.race) continue;
      search.reuse = reuse;
      search.race_is_bad = race_is_bad;
      search.forget = all.executions == 0;
      const RunResult ran = run(test, search, on_history);
      all.executions += ran.executions;
      all.seconds += ran.seconds;
      const bool fits = ran.end != RunResult::End::finding || findings_.empty() ||
                        findings_.front().finding.kind != FindingKind::divergence;
      if (!fits || ran.end == RunResult::End::complete) continue;
      end_like(ran, all);
      return all;
    }
  }
  return all;
}

std::vector<explore::Options> ObjectRunner::searches(int preemptions) const {
  const bool is_usual = preemptions == kUsual || !settings_.replay.empty();
  if (is_usual) return watch_.searches(settings_.preemptions);
  explore::Options bounded;
  bounded.dfs.first_bound = 0;
  bounded.dfs.last_bound = static_cast<std::uint32_t>(preemptions);
  return {bounded};
}

// One search, added to those before. False: that is enough. `before`: executions of the largest
// search before.
bool ObjectRunner::add_search(const Matrix& test, SearchRequest search, const OnHistory& on_history,
                              std::uint64_t& before, RunResult& all) {
  const Board& board = watch_.board();
  const auto add = [&all, &board](const RunResult& ran) {
    all.executions += ran.executions;
    all.seconds += ran.seconds;
    all.guessed |= ran.guessed;
    all.suppressed.insert(ran.suppressed.begin(), ran.suppressed.end());
    all.blind = std::max(all.blind, ran.blind);
    all.points = board.sites.count;
  };
  const explore::Options& what = search.what;
  const bool is_extra = what.kind == explore::Kind::dpor &&
                        settings_.strategy == SearchBy::automatic && !settings_.exhaustive;
  // Every step may depend on every other.
  if (is_extra && board.unseen.any()) return all.all_schedules = false, true;
  search.forget = all.executions == 0;
  search.max_executions = judges_only_ > 0 ? judges_only_ : settings_.max_executions;
  if (is_extra && !settings_.max_executions_given)
    search.max_executions = std::min(search.max_executions, 10'000 + 2 * before);
  const bool is_bounded =
      what.kind == explore::Kind::dfs && what.dfs.last_bound != explore::kUnbounded;
  all.bound = is_bounded ? static_cast<int>(what.dfs.last_bound) : -1;
  RunResult ran = run(test, search, on_history);
  before = std::max(before, ran.executions);
  all.all_schedules = ran.all_schedules;
  add(ran);
  all.alarms.add(ran.alarms);
  const bool is_too_much = ran.cut.by == CutBy::executions || ran.cut.by == CutBy::depth;
  if (ran.end != RunResult::End::complete && !(is_extra && is_too_much)) {
    end_like(ran, all);
    return false;
  }
  // Races, of this test or of one before, were only places to switch at, so far. They are findings
  // in their own right.
  const bool may_race = board.sites.count > 0 || !settings_.sites.empty();
  if (!may_race || settings_.ignore.race || judges_only_ > 0 ||
      settings_.schedule_at != ScheduleAt::automatic)
    return true;
  search.race_is_bad = true;
  ran = run(test, search, [](const lineup::ObservedHistory&) { return true; });
  add(ran);
  if (is_extra && ran.cut.by == CutBy::executions) return all.all_schedules = false, true;
  end_like(ran, all);
  return ran.end == RunResult::End::complete;
}

// With freed memory that is never used again, and with freed memory that is.
RunResult ObjectRunner::run_searches(const Matrix& test,
                                     const std::vector<explore::Options>& searches,
                                     std::uint64_t& before, const OnHistory& on_history) {
  Board& board = watch_.board();
  board.remarks.could_reuse = false;
  RunResult all;
  bool are_whole = true;
  for (const Reuse reuse : watch_.heaps()) {
    if (reuse != watch_.heaps().front() && !board.remarks.could_reuse) break;
    bool is_whole = false;
    for (const explore::Options& what : searches) {
      SearchRequest search;
      search.what = what;
      search.reuse = reuse;
      if (is_whole) break;
      if (!add_search(test, search, on_history, before, all)) return all;
      is_whole = all.all_schedules;
    }
    are_whole &= is_whole;
  }
  all.all_schedules = are_whole;
  return all;
}

// First with few preemptions, which shows most mistakes soon; then, unless the user said how many,
// all schedules by partial-order reduction, where that does not take much longer.
RunResult ObjectRunner::concurrent(const Matrix& test, int preemptions,
                                   const OnHistory& on_history) {
  if (preemptions == kSerial) return run_serially(test, Runs::serially, on_history);
  switch_at({});  // where a test switches does not depend on the tests before it
  RunResult first;
  if (!first_.empty()) first = run_first(test, on_history);
  if (first.end != RunResult::End::complete) return first;
  std::uint64_t before = 0;
  RunResult all = run_searches(test, searches(preemptions), before, on_history);
  all.executions += first.executions;
  all.seconds += first.seconds;
  return all;
}

void ObjectRunner::switch_at(const std::vector<std::uint64_t>& points) {
  runtime::SiteList& sites = watch_.board().sites;
  sites.clear();
  for (const std::uint64_t point : points) sites.add(reinterpret_cast<const void*>(point));
}

void ObjectRunner::show(const Matrix& test, Runs runs, Shown& shown) {
  const bool is_race = shown.finding.kind == FindingKind::race;
  watch_.adjust = [&](Board& board) {
    put(runs == Runs::specification ? specified_ : test, board.command.matrix);
    set(runs, board.command.options);
    board.command.options.race_is_bad = is_race;
    board.command.options.compare = compare_;
  };
  watch_.show(shown);
  shown.names[0] = "main";
  for (int t = 1; t <= static_cast<int>(test.columns.size()); ++t) {
    const int thread = watch_.shown_board().result.threads[static_cast<std::size_t>(t - 1)];
    if (thread != 0) shown.names[thread] = lineup::thread_name(t);
  }
}

}  // namespace plumb::session
