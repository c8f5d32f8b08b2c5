// SPDX-License-Identifier: MIT
// Many tests of one object: until one fails, or all of them. What fails is shrunk, and failures
// that shrink to the same test are one.
//
// Breadth comes before depth: all tests are run with one preemption, then all with two, and then,
// as far as time allows, under every schedule. So a short campaign has seen every small test, and
// the first that fails is a small one with few preemptions. The plan is what the user asked for;
// when it is done, the verdict stands, however the deeper stages end. docs/objects.md says so.
//
// What a test does depends on nothing that was learned from another one.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "lineup/check.hpp"
#include "lineup/matrices.hpp"
#include "lineup/observe.hpp"

namespace plumb::lineup {

/// Where the time went, over tests.
struct Spent {
  std::uint64_t tests = 0;
  double seconds = 0;
};

/// What was counted so far.
struct CampaignCounts {
  std::uint64_t in_order = 0, at_random = 0, given = 0;  // tests that were run
  std::uint64_t begun = 0;                               // of these: by this shard
  std::uint64_t passed = 0, failed = 0, undecided = 0;
  std::uint64_t with_stuck = 0;     // tests that had stuck histories
  std::uint64_t all_schedules = 0;  // that passed under every schedule, not only few preemptions
  std::uint64_t executions = 0, histories = 0, violating = 0;
  std::uint64_t sequentializations = 0, permutations = 0;  // as in CheckResult
  std::uint64_t serial_histories = 0, most_serial_histories = 0;
  std::uint64_t most_points = 0;  // plain accesses at which threads were switched, in a test
  double serial_seconds = 0, most_serial_seconds = 0;
  bool threads_differ = false;       // an operation read its thread id
  bool guessed = false;              // in some test; as in RunResult
  std::vector<std::uint64_t> calls;  // of each invocation, in the tests that were run
  Spent pass, fail;
  std::set<std::pair<std::uint64_t, std::uint64_t>> suppressed;  // races that are no findings
  /// What others would have said (5.6): executions; tests with one of these; and such that pass.
  std::uint64_t compared = 0, racy = 0, cyclic = 0, truncated = 0;
  std::uint64_t racy_tests = 0, racy_passed = 0, cyclic_tests = 0, cyclic_passed = 0;
};

/// How far a test is.
struct TestProgress {
  enum class Verdict : std::uint8_t { open, pass, undecided, fail };
  Verdict verdict = Verdict::open;  // until all stages of the plan are done
  bool is_over = false;             // no other stage is run
  bool all_schedules = false, has_stuck = false, racy = false, cyclic = false;
  Cut cut;                      // why it is undecided
  std::uint64_t histories = 0;  // distinct, in the stage that had most
  std::uint64_t stages = 0;     // that are done; of them:
  std::vector<double> seconds;
  std::vector<std::uint64_t> points;  // as in TestMemory
  std::uint64_t executions = 0;
};

/// A campaign that was ended before its time.
struct CampaignState {
  CampaignCounts counts;
  std::vector<TestProgress> in_order, at_random, given;
};

/// How many tests are through with a stage.
struct StageCount {
  Stage stage;
  std::uint64_t done = 0, all = 0;
  std::optional<double> rest_seconds;  // that the others would take; nothing: not known
};

struct CampaignSettings {
  CheckSettings check;
  std::vector<Matrix> given;  // these, and no others
  /// Otherwise all tests in order, up to these sizes and to so many ...
  int operations = 4;
  int threads = 3;
  std::uint64_t most_in_order = 1000;
  /// ... and then so many at random.
  int random = 300;
  int rows = 3, columns = 3;
  bool all_sizes = false;  // also smaller random tests, and after other calls (sample_sizes)
  std::uint64_t seed = 1;
  Column initial, final;
  std::vector<Column> units;  // empty: the single operations
  Column first;               // calls with which a test may begin, if all_sizes
  Observers observers;        // with whose calls all tests end, but those that are given
  bool keep_going = false;
  bool shrink = true;
  int max_preemptions = 4;  // of a shrunk test
  int shard = 0, shards = 1;
  std::optional<CampaignState> resume;  // from here
  /// Called after each stage of a test, with what makes the state to be kept.
  std::function<void(const std::function<CampaignState()>&)> save;
  /// Likewise; `number`: of the test.
  std::function<void(std::uint64_t number, const Matrix&, const CheckResult&, const TestProgress&)>
      on_tested;
};

struct TestFailure {
  Matrix found;           // as it was run
  Matrix test;            // shrunk
  int preemptions = 0;    // with at most so many; -1: any number
  bool is_least = false;  // ... and with none fewer
  bool shrinking_was_cut = false;
  CheckResult result;       // of the shrunk test
  std::uint64_t times = 1;  // tests that shrink to it
};

struct CampaignResult : CampaignCounts {
  std::vector<StageCount> stages;
  std::size_t stage = 0;      // that is running
  Cut deeper_cut;             // why not all stages beyond the plan were run
  bool all_in_order = false;  // all tests of the sizes that were asked for
  int random_columns = 0;     // fewer than were asked for, if no more may be used
  std::vector<TestFailure> failures;
  Cut cut;  // why the first undecided test was
  Matrix undecided_test;
  std::string unusable;  // nothing can be run
  ErrorKind unusable_error = ErrorKind::internal;
  bool interrupted = false;
  bool ended_by_limit = false;  // of time or memory, of all tests together
};

/// Runners for other threads, which find the same.
class Runners {
 public:
  virtual ~Runners() = default;
  virtual unsigned count() const = 0;
  /// Called once for each, below count(), by the thread that uses it; null: there is none.
  virtual Runner* make(unsigned number) = 0;
  /// What they run ends soon. They are not used any more.
  virtual void stop() = 0;
  /// Called by the thread of each, when it begins to run a test and when that is done: others may
  /// use its time in between.
  virtual void begin_work() {}
  virtual void end_work() {}
  /// Called often by who waits for them.
  virtual void wait() {}
};

/// Calls `progress` before each test; false: stop there. `others` run tests as well, once it is
/// worth while. The result does not depend on them, unless a limit cuts it. What fails is run again
/// by `runner`.
CampaignResult run_campaign(
    Runner& runner, const Object& object, const CampaignSettings& settings,
    const std::function<bool(const CampaignResult&, const Matrix&)>& progress,
    Runners* others = nullptr);

}  // namespace plumb::lineup
