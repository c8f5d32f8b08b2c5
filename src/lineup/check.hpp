// SPDX-License-Identifier: MIT
// Check(X, m) (Line-Up, Fig. 5): is every concurrent history of a test explained by its serial
// ones?
//
// Phase 1 runs the test serially, in every order: the specification. Phase 2 runs it concurrently,
// and asks of every history that it has not seen whether a serial one is its witness.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "lineup/history.hpp"
#include "lineup/matrix.hpp"
#include "lineup/serial.hpp"
#include "lineup/witness.hpp"
#include "plumb/specification.hpp"

namespace plumb::lineup {

// How a run of a test, over schedules, ended.
struct Ran {
  enum End {
    kComplete,  // all schedules that were asked for
    kStopped,   // by who looked at the histories
    kFinding,   // a race, a crash, ...: the runner knows more
    kCut,       // `reason` says by what
    kUnusable,  // the test could not be run
  } end = kComplete;
  std::string reason;
  std::uint64_t executions = 0;
  bool all_schedules = false;  // complete, and without a bound
  std::uint64_t points = 0;    // plain accesses at which threads were switched
  double seconds = 0;
};

// Runs tests on the object. Histories come as they are first seen; false: enough.
class Runner {
 public:
  using OnHistory = std::function<bool(const History&)>;
  virtual ~Runner() = default;
  virtual Ran serial(const Matrix& test, const OnHistory& on_history) = 0;
  // preemptions: at most so many, and nothing else; kUsual: as is usual here.
  static constexpr int kUsual = -1;
  virtual const Results& results() const = 0;
  virtual Ran concurrent(const Matrix& test, int preemptions, const OnHistory& on_history) = 0;
};

struct CheckSettings {
  bool classic = false;        // Definition 1 only: that nothing blocks is not asked
  bool all_histories = false;  // go on after a violation, to count them
  int preemptions = Runner::kUsual;
  std::set<std::string> nondeterministic;  // methods whose outcomes may differ
  // Given, it stands for phase 1.
  const Specification* specification = nullptr;
};

enum class Failure : std::uint8_t {
  kNone,
  kNondeterministic,  // two serial histories differ after the same calls (line 4)
  kUnexplained,       // a full history has no serial witness (line 8)
  kBlocked,           // a stuck history has an operation that should not block (line 13)
  kFinding,           // of the explorer: a race, a crash
};

struct CheckResult {
  enum Verdict { kPass, kFail, kUndecided, kUnusable } verdict = kPass;
  Failure failure = Failure::kNone;
  std::string reason;              // why undecided or unusable
  std::optional<History> history;  // that nothing explains
  int culprit = -1;                // kBlocked: the operation that should have gone on
  std::optional<std::pair<SerialHistory, SerialHistory>> fork;  // kNondeterministic
  SerialHistories serial;
  const Specification* specification = nullptr;  // that was given
  Ran phase1, phase2;
  std::uint64_t histories = 0;  // concurrent ones, distinct
  std::uint64_t stuck_histories = 0;
  std::uint64_t violating = 0;  // of them, if all_histories; else 1
};

CheckResult check(Runner& runner, const Object& object, const Matrix& test,
                  const CheckSettings& settings);

// Is it a violation by the definitions themselves, read over the list of serial histories? The
// second opinion on what the search says.
bool is_violation(const Matrix& test, const History& history, const SerialHistories& serial,
                  bool classic, const Leniency& leniency = {});

}  // namespace plumb::lineup
