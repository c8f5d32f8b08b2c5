// SPDX-License-Identifier: MIT
// Plans an exploration, runs it in processes of its own, and sees what becomes of them.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/exit_status.hpp"
#include "explore/make.hpp"
#include "lineup/by_specification.hpp"
#include "lineup/cut.hpp"
#include "report/report.hpp"
#include "runtime/wire/board.hpp"
#include "session/interrupts.hpp"
#include "session/process.hpp"
#include "session/pulse.hpp"
#include "session/search_save.hpp"
#include "session/settings.hpp"
#include "session/suppressions.hpp"

namespace plumb::session {

double seconds_now();
/// A schedule that was to be replayed is of another program.
std::string no_schedule_text(const runtime::Finding& divergence);
lineup::Cut why_cut(const runtime::Board& board);  // executions were
inline constexpr char kUnhookedText[] =
    "no access of the program was seen: compile the code under test with -fsanitize=thread (link "
    "without it)";

inline constexpr char kNotReproduced[] =
    "what was found was not seen again in a fresh process: something outlives an execution (memory "
    "that the code maps, a file, the C library)";

/// A finding, with the steps of an execution that was replayed to be shown.
struct Shown {
  runtime::Finding finding;
  std::vector<std::uint8_t> schedule;
  bool complete = true;  // the schedule is whole
  Reuse heap = Reuse::never;
  bool replayed = false;             // the replay showed it again
  std::map<int, std::string> names;  // of threads that have one
  std::vector<runtime::TraceStep> trace;
  runtime::TracedObject object;
  std::uint32_t spinning = 0;            // see SearchResult
  bool is_serial = false;                // its steps are not worth showing
  std::optional<HistoryRecord> history;  // of the replay, if it came to its end
};

struct ExplorationResult {
  ExitStatus status = ExitStatus::undecided;  // a finding is a violation
  bool interrupted = false;                   // perhaps after a finding
  lineup::Cut cut;                            // why undecided
  std::string reason;                         // why unusable or misused
  std::vector<report::ExploreScope::Stage> stages;
  std::uint64_t executions = 0;
  std::uint64_t histories = 0;  // distinct, in the stage that had most
  double seconds = 0;
  double cpu_seconds = 0;  // of the processes under test
  std::uint64_t peak_bytes = 0;
  std::vector<Shown> findings;
  std::set<RacePair> suppressed;  // races that are no findings
};

using Progress = std::function<void(double seconds, const std::function<std::string()>& words)>;

class Cores;

class Watch {
 public:
  explicit Watch(const Settings& settings) : settings_(settings) {}

  /// `call` numbers the calls of explore() in that test; `arguments` are what the code under test
  /// may depend on.
  Status open(const std::string& gtest, int call, const std::vector<std::string>& arguments);
  /// The same, for a thread that helps another one and shares its limits. Once `stop` is set,
  /// what runs is interrupted.
  Status open_like(const Watch& other, const std::atomic<bool>& stop);
  /// Races that are no findings.
  void suppress(std::shared_ptr<const Suppressions> races) { filter_.use(std::move(races)); }
  ExplorationResult explore();
  std::function<void(const HistoryRecord&)> on_history;
  /// Called often while processes run: the seconds so far, and what may be said about the search.
  Progress on_progress;
  std::function<std::string()> progress_words;  // empty: how many executions there were
  const runtime::Board& board() const { return processes_.front()->board(); }

  // --- for who makes searches of its own --------------------------------------------------------

  /// All but the first two are ends that we made.
  enum class Ended { by_itself, crashed, hung, stopped, timed_out, out_of_memory, interrupted };
  /// `nothing`: it was not the user who set this end.
  static lineup::CutBy limit_of(Ended ended);
  /// From now on time counts, and an interrupt is noted, as long as this lives.
  void begin();
  /// As much time again, to run once more what was found and show it, also after the time limit.
  void begin_evidence();
  /// Whether an execution that hangs is given up after a tenth of the time.
  void hurry(bool on) { has_hung_ = on; }
  /// What is run from now on ends within so many seconds, if not before.
  void end_within(double seconds);
  /// What is left of the limits, for work that this process does itself.
  lineup::JudgementLimits limits_left() const;
  runtime::Board& board() { return processes_.front()->board(); }
  /// Writes what is to be done to a board, as the settings have it; then `adjust` may change it.
  void prepare(runtime::Board& board, Reuse reuse) const;
  std::function<void(runtime::Board&)> adjust;
  Process::How how(bool loud) const;
  /// The next search is in a new process.
  void end_process() { processes_.front()->kill(); }
  Ended run(const Process::How& how) { return run(*processes_.front(), how); }
  /// The same, with the help of other processes on these cores after so many seconds.
  Ended run_divided(const Process::How& how, Cores& cores, double alone);
  /// What is to be made of an end: a finding, on the board, or why the search was cut, which is
  /// returned.
  lineup::Cut judge_end(Ended ended, Reuse heap);
  /// What a process that hangs did: "nothing happened for 10 s (...)"
  std::string silence_text() const;
  std::vector<Shown> found(Reuse heap) const;  // on the board
  /// Takes those off the board that are suppressed, and adds such races to `seen`. Whether the
  /// search, which ended so, has to start again: their accesses are scheduling points.
  bool drop_suppressed(Ended ended, std::set<RacePair>& seen) {
    const bool any = filter_.drop(board());
    add_seen(board(), seen);
    return any && ended == Ended::by_itself;
  }
  std::vector<report::Suppression> count_suppressed(const std::set<RacePair>& races) {
    return filter_.count(races, board());
  }
  void show(Shown& shown) { show(shown, replayer_); }
  const runtime::Board& shown_board() const { return replayer_.board(); }
  std::vector<Reuse> heaps() const;
  std::vector<explore::Options> searches(int preemptions) const;
  std::uint64_t peak_bytes() const;
  void report_progress() const;

 private:
  /// What is searched, one after the other.
  struct Plan {
    enum class How { dfs, dpor, pct, pos, random };
    How how;
    Reuse reuse;
    bool is_random() const;
  };
  std::vector<Plan> plan() const;
  bool is_extra(const Plan& plan) const;  // beyond what was asked for
  std::string name_of_stage(const Plan& plan) const;
  std::vector<Plan::How> ways() const;
  explore::Options options_of(Plan::How how, int preemptions) const;

  Status open_first();
  Ended look(Process& process, Pulse& pulse);
  bool is_over_memory() const;
  bool is_interrupted() const;
  Ended run(Process& process, const Process::How& how);
  friend class Team;
  ExplorationResult run_stages();
  lineup::Cut run_stage(const Plan& plan, bool resume, ExplorationResult& outcome);
  enum class Next { nothing, restart, resume, skip_crashed };
  lineup::Cut begin_again(Next& next, report::ExploreScope::Stage& stage);
  lineup::Cut run_search(const Plan& plan, Next& next, report::ExploreScope::Stage& stage,
                         ExplorationResult& outcome);
  bool may_be_from_outside(Ended ended) const;
  bool was_killed(Ended ended) const;
  double patience() const;
  runtime::Finding why_it_ended(Ended ended) const;
  Ended show(Shown& shown, Process& process);
  ExplorationResult replay();
  void show_findings(ExplorationResult& outcome);

  const Settings& settings_;
  std::vector<std::unique_ptr<Process>> processes_;
  Process replayer_;  // apart, so that a search that is kept stays as it is
  SearchSave save_;
  RaceFilter filter_;
  bool kept_ = false;  // the search was begun by another run
  int call_ = 0;
  double begin_ = 0;
  double deadline_ = 0;
  const std::atomic<bool>* stop_ = nullptr;  // set by another thread; null: there is none
  Process* ended_ = nullptr;                 // the last one that did not end as it was meant to,
  int status_ = 0;                           // and with which status
  std::vector<Shown> shown_ends_;            // such ends that a replay showed again
  bool has_hung_ = false;                    // one of them did
  std::string gtest_;
  std::vector<std::uint8_t> schedule_;       // that is to be replayed
  std::unordered_set<std::uint64_t> heard_;  // histories, of divided searches
  bool was_divided_ = false;                 // the last one
  std::optional<CatchInterrupt> catcher_;
};

}  // namespace plumb::session
