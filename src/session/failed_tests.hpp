// SPDX-License-Identifier: MIT
// A test of an object that failed, run once more to be shown.
#pragma once

#include <optional>
#include <string>

#include "lineup/campaign.hpp"
#include "report/report.hpp"
#include "session/findings.hpp"
#include "session/object_runner.hpp"
#include "session/object_settings.hpp"
#include "session/regression.hpp"
#include "session/watch.hpp"

namespace plumb::session {

/// "TicketQueue is not linearizable"
std::string headline(const lineup::Object& object, const lineup::CheckResult& result);

/// Whether the concurrent runs of a test begin with the object's own serial ones.
bool begins_serially(const lineup::Object& object, const Settings& settings);

/// What a history is judged by, as options: a replay needs it as well. Ends in a blank.
std::string criterion_words(const Settings& settings, const ObjectSettings& object_settings);

class FailedTests {
 public:
  FailedTests(Watch& watch, ObjectRunner& runner, const Settings& settings,
              const ObjectSettings& object_settings, const lineup::Object& object,
              const ReplayCommand& replay)
      : watch_(watch), runner_(runner), settings_(settings), object_settings_(object_settings),
        object_(object), replay_(replay) {}

  report::FailedTest show(const lineup::TestFailure& failed);
  /// Of the first that was shown, as a test; nothing: none was.
  const std::optional<RegressionTest>& regression() const { return regression_; }

 private:
  report::FailedTest show_result(const lineup::TestFailure& failed);
  void show_findings(const lineup::TestFailure& failed, report::FailedTest& shown);
  void show_history(const lineup::TestFailure& failed, report::FailedTest& shown);
  void run_again(const lineup::Matrix& test, ObjectRunner::Runs runs, Shown& shown);
  std::vector<Shown> findings_of(const lineup::TestFailure& failed, ObjectRunner::Runs& runs,
                                 lineup::Cut& cut);
  bool may_look_further() const;
  report::WithoutRaces without_races(const lineup::TestFailure& failed);
  report::WithoutRaces judged_without_races(const lineup::TestFailure& failed);
  void add_other_tests(int preemptions, report::WithoutRaces& without);
  void add_violation(const lineup::Matrix& test, const lineup::CheckResult& result,
                     report::WithoutRaces& without) const;
  void show_race(const lineup::TestFailure& failed, report::FailedTest& shown);
  void show_waits(const lineup::TestFailure& failed, report::FailedTest& shown);
  lineup::CheckSettings with_preemptions(int n) const;
  report::Replay replay_command(const lineup::TestFailure& failed,
                                const std::string& options) const;

  Watch& watch_;
  ObjectRunner& runner_;
  const Settings& settings_;
  const ObjectSettings& object_settings_;
  const lineup::Object& object_;
  const ReplayCommand& replay_;
  std::string first_schedule_;  // of the test that is shown; empty: none can be replayed
  std::optional<RegressionTest> regression_;
};

}  // namespace plumb::session
