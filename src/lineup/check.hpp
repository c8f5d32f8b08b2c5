// SPDX-License-Identifier: MIT
// Check(X, m) (Line-Up, Fig. 5): is every concurrent history of a test explained by its serial
// ones?
//
// Phase 1 runs the test serially, in every order: the specification. Phase 2 runs it concurrently,
// and asks of every history that it has not seen whether a serial one is its witness.
//
// If phase 1 runs a reference in the object's place, the object's own serial histories are not
// right by definition: phase 2 begins with them, since a bound on preemptions, which also counts
// switches between two operations, would leave some of them out. (One that is stuck is a history of
// the test that has only the operations called so far: those to come might let it through.)
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/finding_kind.hpp"
#include "base/reuse.hpp"
#include "lineup/by_specification.hpp"
#include "lineup/cut.hpp"
#include "lineup/history.hpp"
#include "lineup/matrix.hpp"
#include "lineup/serial.hpp"
#include "lineup/witness.hpp"

namespace plumb::lineup {

/// What other checkers would have said of executions (5.6), where that was asked for.
struct Alarms {
  std::uint64_t executions = 0;  // that were looked at
  std::uint64_t racy = 0;        // of them: with a data race
  std::uint64_t cyclic = 0;      // not conflict-serializable
  std::uint64_t cut = 0;         // so long that a cycle may be missed
  /// That leads to the first cycle, and with freed memory used again like this. Empty: not known.
  std::vector<std::uint8_t> schedule;
  Reuse heap = Reuse::never;
  std::vector<std::uint64_t> points = {};  // plain accesses at which it switches as well

  void add(const Alarms& more);
};

/// How a run of a test, over schedules, ended.
struct RunResult {
  enum class End {
    complete,  // all schedules that were asked for
    stopped,   // by who looked at the histories
    finding,   // a race, a crash, ...; the runner knows more
    cut,       // `cut` says by what
    unusable,  // `reason` says why the test could not be run
  };
  End end = End::complete;
  Cut cut;
  std::string reason;
  FindingKind finding = FindingKind::none;
  std::string what;   // of a finding: the assertion or the exception
  bool hung = false;  // it was cut for that: another test would be as well
  std::uint64_t executions = 0;
  bool all_schedules = false;  // complete, and no bound kept any schedule away
  int bound = -1;              // on preemptions, of the search that did not complete; -1: none
  bool guessed = false;        // a read-only loop was assumed to be a spin-wait
  int blind = -1;              // an operation (its cell) that passes no scheduling point
  std::uint64_t points = 0;    // plain accesses at which threads were switched
  double seconds = 0;
  std::set<std::pair<std::uint64_t, std::uint64_t>> suppressed = {};  // races that are no findings
  Alarms alarms;
};

/// A part of the schedules of a test, which contains the parts before it. With such parts, all
/// tests can be run with one preemption before any is run with two.
struct Stage {
  int preemptions = -1;    // at most so many, or one of the constants of Runner
  int from = 0;            // schedules with fewer preemptions were run in the stages before
  bool is_planned = true;  // false: it may be cut, and the verdict stands
};

/// What is kept of a test from one stage to the next.
struct TestMemory {
  std::optional<SerialHistories> serial;  // of phase 1; nothing: to be found out, perhaps again
  std::vector<std::uint64_t> points;      // plain accesses at which its searches switch threads
  std::uint64_t executions = 0;           // of its largest search
  std::size_t stages = 0;                 // that are done
};

/// Runs tests on the object. Histories come as they are first seen; false: enough.
class Runner {
 public:
  using OnHistory = std::function<bool(const ObservedHistory&)>;
  virtual ~Runner() = default;
  /// Phase 1: of the reference, if the object has one.
  virtual RunResult serial(const Matrix& test, const OnHistory& on_history) = 0;
  /// preemptions: at most so many, and nothing else; kUsual: as is usual here; kSerial: the
  /// object's operations one after the other, in every order; kEvery, of a stage: any number.
  static constexpr int kUsual = -1, kSerial = -2, kEvery = -3;
  virtual const Results& results() const = 0;
  virtual RunResult concurrent(const Matrix& test, int preemptions,
                               const OnHistory& on_history) = 0;
  /// What kUsual means, or the bound that the user gave, in parts.
  virtual std::vector<Stage> stages() const { return {Stage{}}; }
  /// Updates what is remembered, except for phase 1.
  virtual RunResult run_stage(const Matrix& test, const Stage& stage, TestMemory&,
                              const OnHistory& on_history) {
    return concurrent(test, stage.preemptions, on_history);
  }
  /// Whether an operation may have begun unseen before its call is in the history.
  virtual bool calls_may_be_late() const { return false; }
  /// From now on, or no longer, operations do not begin before their calls, whatever they do
  /// unseen. What is found so is right; if nothing is, what was found before was no history of the
  /// test.
  /// `freely`: with any number of preemptions at calls, which are very many schedules.
  virtual void confirm(bool /*on*/, bool /*freely*/) {}
  /// From now on what runs is looked at more closely, until calls are never late.
  virtual void distrust() {}
  /// What of the code cannot be seen, in words.
  virtual std::string unseen() const { return {}; }
  /// Has any operation read its thread id?
  virtual bool read_thread_id() const { return false; }
  /// What is left for the judgement of a history: the runner knows the limits of all.
  virtual JudgementLimits limits() const { return {}; }
};

struct CheckSettings {
  bool classic = false;        // Definition 1 only: that nothing blocks is not asked
  bool all_histories = false;  // continue after a violation, to count them
  int preemptions = Runner::kUsual;
  bool serial_first = false;               // phase 2 begins with the object's own serial runs
  std::set<std::string> nondeterministic;  // methods whose outcomes may differ
  BySpecification by;                      // given, it stands for phase 1
};

enum class Failure : std::uint8_t {
  none,
  nondeterministic,  // two serial histories differ after the same calls (line 4)
  unexplained,       // a full history has no serial witness (line 8)
  blocked,           // a stuck history has an operation that should not block (line 13)
  finding,           // of the explorer: a race, a crash
};

struct CheckResult {
  enum class TestVerdict { pass, fail, undecided, unusable };
  TestVerdict verdict = TestVerdict::pass;
  Failure failure = Failure::none;
  Cut cut;                                  // why undecided
  std::string reason;                       // why unusable,
  ErrorKind error = ErrorKind::internal;    // and whose mistake it is
  FindingKind finding = FindingKind::none;  // Failure::finding: of what kind,
  std::string what;                         // and what failed, of an assertion or an exception
  std::optional<ObservedHistory> history;   // that nothing explains
  bool serially = false;                    // what failed is a serial run of the object
  int culprit = -1;  // Failure::blocked: the operation that should not have blocked
  std::optional<std::pair<SerialHistory, SerialHistory>> fork;  // Failure::nondeterministic
  SerialHistories serial;
  BySpecification by;  // what was given
  RunResult phase1, phase2;
  bool read_thread_id = false;  // an operation did, in this test or in one before
  std::uint64_t histories = 0;  // concurrent ones, distinct
  std::uint64_t stuck_histories = 0;
  std::uint64_t violating = 0;  // of them, if all_histories; else 1
  /// Of all histories, if that was asked for.
  std::uint64_t sequentializations = 0, permutations = 0;
};

CheckResult check(Runner& runner, const Object& object, const Matrix& test,
                  const CheckSettings& settings);

/// A stage of it, after those before. The serial histories are taken out of `memory`; the result
/// has them. Phase 1 is counted in the first stage only, also if it has to be run again.
CheckResult check_stage(Runner& runner, const Object& object, const Matrix& test,
                        const CheckSettings& settings, const Stage& stage, TestMemory& memory);

/// Is it a violation by the definitions themselves, read over the list of serial histories? The
/// second opinion on what the search says.
bool is_violation(const Matrix& test, const ObservedHistory& history, const SerialHistories& serial,
                  bool classic, const Leniency& leniency = {});

}  // namespace plumb::lineup
