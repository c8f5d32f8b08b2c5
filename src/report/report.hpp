// SPDX-License-Identifier: MIT
// What was decided, on what evidence, and what was covered: of all three doors. Whoever decides
// builds one of these; whatever is read by people, programs, browsers or servers is made of it, by
// the other files of this folder, and of nothing else.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/exit_status.hpp"
#include "lineup/campaign.hpp"
#include "lineup/resemblance.hpp"
#include "plumb/check.hpp"
#include "plumb/result.hpp"
#include "plumb/verdict.hpp"
#include "refine/verify.hpp"
#include "report/finding.hpp"

namespace plumb::report {

enum class Command : std::uint8_t { check, verify, test };

// ---- evidence

/// A history, and what its objects ought to do. It may be a view of something that outlives it.
struct HistoryView {
  std::shared_ptr<const History> history;      // null: it was not read to its end
  std::shared_ptr<const Specification> given;  // null: what the history says of its objects
  std::optional<Value> initial = {};           // overrides the history's

  /// Null if there is none.
  const Specification* specification(ObjectId object) const;
};
/// A pointer to what its caller owns.
template <class T>
std::shared_ptr<const T> borrowed(const T* owned) {
  return {std::shared_ptr<void>(), owned};
}

/// An order that explains every result; verified.
struct Witness {
  HistoryView view;
  std::vector<OperationId> order;
  std::size_t blocking = 0;  // orders, one for each operation that blocks; of a stuck history
  std::string file;          // where it was written; empty: nowhere
};
/// Each read with the write that justifies it; verified.
struct ReadsFrom {
  std::size_t reads = 0;
};
/// The steps of a model.
struct ModelRun {
  std::vector<refine::TraceStep> trace;
  std::vector<refine::TraceStep> waiting;  // who waits at its end, where that is what is wrong
};
/// What nothing explains.
struct Refutation {
  HistoryView view;
  Counterexample counterexample;
  std::vector<OperationId> differs = {};  // whose outcome is not that of the nearest serial history
  std::optional<ModelRun> run = {};       // that led to it
};
/// A run that was asked for, whatever its history is.
struct SimulatedRun {
  HistoryView view;
  ModelRun run;
};
/// A run without an end.
struct Lasso {
  std::vector<std::string> why;
  ModelRun run;
  std::vector<refine::TraceStep> loop;  // what repeats forever after it
};

struct Evidence {
  std::variant<std::monostate, Witness, ReadsFrom, Refutation, SimulatedRun, Lasso, Interleaving>
      what;  // an interleaving: of a replay that shows nothing wrong
  std::shared_ptr<const QuasiReport> quasi;  // --quasi: how far out of order

  const Refutation* refutation() const { return std::get_if<Refutation>(&what); }
};

// ---- scope

struct Limits {  // 0: none
  double timeout_seconds = 0;
  std::uint64_t memory_bytes = 0;
};

/// plumb check
struct CheckScope {
  HistoryView view;
  HistoryProperty property = HistoryProperty::linearizable;
  std::uint64_t operations = 0, completed = 0, pending = 0;
  std::uint64_t partitions_total = 0, partitions_decided = 0, skipped = 0;
  std::vector<PartitionReport> partitions;
  std::string engine = "auto";  // as asked for
  bool split_by_key = true;
  std::optional<StreamScope> stream;
  double reading_seconds = 0, splitting_seconds = 0, evidence_seconds = 0, total_seconds = 0;
  std::uint64_t search_bytes = 0;
  Limits limits;

  bool stuck() const { return view.history && view.history->stuck; }
};

/// plumb verify
struct ModelScope {
  Question question = Criterion::linearizable;
  std::string object;
  std::uint32_t processes = 0;
  std::vector<std::pair<std::string, std::int64_t>> constants;
  refine::Found found;  // what was counted
  std::string engine;
  std::vector<std::pair<std::string, bool>> reductions;  // whether it was used
  std::optional<std::uint64_t> seed;                     // of a random run
  std::string how;         // ", by its linearization points": if not by the product
  bool explored = false;   // nothing was asked of the results
  bool simulated = false;  // one run
  bool progress = false;   // a question about runs without an end
  bool asked_savings = false;
  std::vector<refine::Saving> savings;
  std::vector<std::string> switched_off;  // reductions, by name
  double total_seconds = 0;
  Limits limits;
};

/// plumb test of a body
struct ExploreScope {
  struct Stage {
    std::string schedules;  // "all schedules with at most 2 preemptions"
    Reuse heap = Reuse::never;
    std::uint64_t executions = 0, steps = 0, pruned = 0;
    bool complete = false;
  };
  std::uint64_t executions = 0, histories = 0;
  std::uint64_t points_added = 0;  // plain accesses at which threads are switched
  std::vector<Stage> stages;
  double cpu_seconds = 0;
  bool assumed_spin_wait = false;  // of some loop
  bool wrote_prior_heap = false;   // memory from before the exploration
  bool is_replay = false;
};

/// Code without hooks that took part: of the program or a library.
struct UnseenCode {
  std::string file;                    // empty: what it is is not known, only that there is some
  std::vector<std::string> functions;  // empty: they have no names
};
/// "get() of libcounter.so was compiled without -fsanitize=thread"
std::string unseen_words(const std::vector<UnseenCode>& code);

/// plumb test of an object
struct CampaignScope {
  std::string object;
  std::string relaxed;  // "deq=2, strict"; empty: it is not
  lineup::CampaignCounts counts;
  std::vector<lineup::StageCount> stages;
  std::string deeper_cut;  // why not all stages beyond the plan were run; empty: they were
  bool all_in_order = false;
  int random_columns = 0;
  int operations = 0, threads = 0, rows = 0;  // sizes that were asked for
  bool all_sizes = false;                     // of random tests: also smaller ones
  std::vector<std::string> observed_by;       // calls with which tests end, to see what is lost
  std::uint64_t seed = 0;
  int shard = 0, shards = 1;
  bool one_per_class = false;  // of tests that differ in the names of values only
  std::vector<std::string> never_called;
  enum class Schedules : std::uint8_t { bounded, random, serial } schedules = Schedules::bounded;
  int preemptions = 0;  // -1: any number
  bool keep_going = false, classic = false, is_replay = false;
  std::string undecided_test;
  std::string undecided_reason;
  std::optional<lineup::Resemblance> resemblance;  // what the class is serially
};

// ---- tests of an object

/// What is left of a test that races if its races are no findings.
struct WithoutRaces {
  Verdict verdict = Verdict::undecided;
  std::string words;             // "every observed history of this test has a serial witness"
  std::string test, command;     // of a violation: which test shows it, and how
  std::uint64_t executions = 0;  // that were run for it
};

/// A test that fails, shrunk.
struct FailedTest {
  lineup::Failure kind = lineup::Failure::none;
  std::string headline;     // "TicketQueue is not linearizable"
  std::string test, found;  // shrunk, and as it was run
  std::uint64_t times = 1;  // tests that shrink to it
  int preemptions = 0;      // with at most so many; -1: any number
  bool is_least = false;    // ... and with none fewer
  bool serially = false, shrinking_was_cut = false;
  std::vector<std::string> why;               // sentences
  Evidence evidence;                          // unless it is a finding
  std::vector<Finding> findings;              // if it is one
  std::optional<WithoutRaces> without_races;  // ... a race
  std::vector<Finding> races;                 // of a test whose history nothing explains
  std::optional<Interleaving> interleaving;   // of the history that nothing explains
  bool counted_histories = false;             // --all-histories
  std::uint64_t violating = 0, histories = 0;
  bool is_reproduced = true;  // by a process in which nothing ran before
  std::string as_test;        // options for plumb::test, to be pasted; empty: none
};

/// What other checkers would have said of the same executions.
struct Comparison {
  struct Access {
    std::string thread, operation;  // "A", "A push(1)"
    bool writes = false;
    std::string what, file;
    int line = 0;
  };
  struct Conflict {
    bool same_thread = false;
    Access before, after;
  };
  std::vector<Conflict> cycle;  // of the first execution that is not serializable; empty: unknown
  std::string test, replay;
};

// ---- the report

/// A remark on what was covered.
inline constexpr std::string_view kSpinWaitNote = "a read-only loop was assumed to be a spin-wait";

/// A line of --suppressions.
struct Suppression {
  std::string file;
  std::uint64_t line = 0;
  std::string pattern;      // "race:Stats::bump"
  std::uint64_t races = 0;  // that it kept from being findings: different pairs of instructions
};

/// What plumb replay needs in order to build and run a test again.
struct ProgramSource {
  std::string file;  // in C++, or a program
  std::vector<std::string> flags, link;
  std::string compiler;                  // empty: no particular one was asked for
  std::string target, compile_commands;  // of --target; empty: none, or where it is looked for
  /// Of a program that calls explore() or test(): its arguments, and which of the calls it is. 0:
  /// it has no main() of its own, but explore_main() or one like it.
  std::vector<std::string> arguments;
  int call = 0;
};

struct Report {
  Command command = Command::check;
  std::string file;
  std::string property = "linearizable";  // for readers: what was asked is in the scope
  std::string specification;              // name, or names; empty: none
  Verdict verdict = Verdict::undecided;
  StopReason stopped = StopReason::none;  // undecided: why
  std::string reason;                     // the same in words; a fault of a model: what
  bool interrupted = false;
  std::optional<ErrorKind> error;  // nothing could be decided at all: `reason` says why
  std::variant<CheckScope, ModelScope, ExploreScope, CampaignScope> scope;
  std::vector<std::string> notes;  // on the scope
  std::vector<UnseenCode> unseen;  // of plumb test
  std::vector<Suppression> suppressions;
  Evidence evidence;
  std::vector<Finding> findings;
  std::vector<FailedTest> failures;           // of tests of an object
  std::optional<Comparison> comparison;       // --compare
  std::vector<refine::Warning> warnings;      // what never happens in a model
  std::optional<refine::MarksFailure> marks;  // a run that linearization points do not explain
  std::string written_test;                   // --regression: the file; empty: none
  double seconds = 0;                         // of the decision alone
  std::uint64_t peak_bytes = 0;               // of the process
  std::string replay;                         // the command that shows it again; empty: none
  std::optional<ProgramSource> program;       // under test

  const CheckScope* check() const { return std::get_if<CheckScope>(&scope); }
  const ModelScope* model() const { return std::get_if<ModelScope>(&scope); }
  const ExploreScope* exploration() const { return std::get_if<ExploreScope>(&scope); }
  const CampaignScope* campaign() const { return std::get_if<CampaignScope>(&scope); }
};

ExitStatus exit_status(const Report& report);

/// "queue", "queue and register"
std::string specification_names(const History& history, const Specification* given);

}  // namespace plumb::report
