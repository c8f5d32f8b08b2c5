// SPDX-License-Identifier: MIT
#include "session/failed_tests.hpp"

#include <utility>

#include "base/shell.hpp"
#include "check/property/quasi/relaxation.hpp"
#include "explore/schedule.hpp"
#include "lineup/explain.hpp"
#include "report/finding_words.hpp"
#include "report/text.hpp"
#include "report/waits.hpp"

namespace plumb::session {

using lineup::CheckResult;
using lineup::Failure;
using Runs = ObjectRunner::Runs;

namespace {

constexpr char kBlocks[] = ": an operation blocks, although no serial order blocks it";

// Executions, in search of a race.
constexpr std::uint64_t kMostAside = 20'000;

// What is wrong serially, in phase 1, is wrong with the reference if there is one.
std::string subject_of_finding(const lineup::Object& object, const CheckResult& result) {
  const bool is_reference =
      !object.reference.empty() && result.phase1.end == lineup::RunResult::End::finding;
  return is_reference ? object.reference + ", against which " + object.name + " is tested"
                      : object.name;
}

}  // namespace

// "TicketQueue is not linearizable"
std::string headline(const lineup::Object& object, const CheckResult& result) {
  const std::string& reference = object.reference;
  switch (result.failure) {
    case Failure::nondeterministic:
      return (reference.empty() ? object.name
                                : reference + ", against which " + object.name + " is tested,") +
             " is not deterministic, even serially";
    case Failure::unexplained:
    case Failure::blocked:
      if (result.serially && !reference.empty())
        return object.name + " does not do what " + reference + " does, even serially";
      return object.name +
             (result.by.is_relaxed()
                  ? " is not quasi linearizable by " + quasi::words(result.by.quasi)
                  : " is not linearizable") +
             (result.failure == Failure::blocked ? kBlocks : "");
    case Failure::finding:
      return subject_of_finding(object, result) + ": " + report::finding_words(result.finding);
    case Failure::none: break;
  }
  return object.name + " holds";
}

bool begins_serially(const lineup::Object& object, const Settings& settings) {
  return !object.reference.empty() && !settings.serial && settings.replay.empty();
}

std::string criterion_words(const Settings& settings, const ObjectSettings& object_settings) {
  std::string words;
  if (object_settings.campaign.check.classic) words += "--classic ";
  if (!settings.spec.empty()) words += "--spec " + shell_word(settings.spec) + " ";
  if (!settings.observations.empty())
    words += "--observations " + shell_word(settings.observations) + " ";
  for (const std::string& method : object_settings.campaign.check.nondeterministic)
    words += "--allow-nondeterminism " + shell_word(method) + " ";
  const QuasiOptions& quasi = object_settings.campaign.check.by.quasi;
  for (const QuasiSet& set : quasi.sets)
    words += "--quasi " + shell_word(quasi::words(set)) + " --relaxation " +
             std::string(to_string(quasi.relaxation)) + " ";
  return words;
}

namespace {

// A schedule that can be run again; empty: there is none.
std::string schedule_of(const Shown& shown) {
  return shown.complete && !shown.schedule.empty() ? explore::to_text(shown.schedule) : "";
}

}  // namespace

report::Replay FailedTests::replay_command(const lineup::TestFailure& failed,
                                           const std::string& options) const {
  return replay_("--test " + shell_word(to_text(failed.test, object_)) + " " +
                 criterion_words(settings_, object_settings_) +
                 (failed.result.serially ? "--serial " : "") + options);
}

// Since it was found, another test may have shown that more of the code has to be watched: then its
// schedule has other steps, and it is looked for again.
report::FailedTest FailedTests::show(const lineup::TestFailure& failed) {
  report::FailedTest shown = show_result(failed);
  if (shown.is_reproduced || !failed.result.history) return shown;
  lineup::TestFailure again = failed;
  again.result = check(runner_, object_, failed.test, with_preemptions(failed.preemptions));
  return again.result.history ? show_result(again) : shown;
}

report::FailedTest FailedTests::show_result(const lineup::TestFailure& failed) {
  const CheckResult& result = failed.result;
  report::FailedTest shown;
  shown.kind = result.failure;
  shown.headline = headline(object_, result);
  shown.test = to_text(failed.test, object_);
  shown.found = to_text(failed.found, object_);
  shown.times = failed.times;
  shown.preemptions = failed.preemptions;
  shown.is_least = failed.is_least;
  shown.serially = result.serially;
  shown.shrinking_was_cut = failed.shrinking_was_cut;
  shown.counted_histories = object_settings_.campaign.check.all_histories;
  shown.violating = result.violating;
  shown.histories = result.histories;
  first_schedule_.clear();
  if (result.failure == Failure::finding) show_findings(failed, shown);
  else show_history(failed, shown);
  RegressionTest regression{
      shown.headline + ": " + shown.test, report::failure_text(shown),
      "--test " + shell_word(shown.test) + " " + criterion_words(settings_, object_settings_)};
  if (failed.preemptions >= 0)
    regression.options += "--preemptions " + std::to_string(failed.preemptions);
  if (!result.serially && !first_schedule_.empty())
    regression.options += " --first " + first_schedule_;
  regression.options += circumstances(settings_);
  if (!object_settings_.has_own_main && settings_.replay.empty())
    shown.as_test = cpp_text(regression.options);
  if (!regression_ && shown.is_reproduced) regression_ = std::move(regression);
  return shown;
}

namespace {

// What is known of a finding that another run of its test did not show.
report::Finding finding_without_run(const CheckResult& result, const lineup::Cut& cut) {
  report::Finding finding;
  finding.kind = result.finding;
  finding.message = (result.what.empty() ? "a finding" : result.what) + ", not shown: " +
                    (cut ? reason_text(cut) : "another run of the test did not find it");
  return finding;
}

}  // namespace

// The runner knows more; what it found is shown as plain explorations show it.
void FailedTests::show_findings(const lineup::TestFailure& failed, report::FailedTest& shown) {
  Runs runs = Runs::concurrently;
  lineup::Cut cut;
  for (Shown one : findings_of(failed, runs, cut)) {
    run_again(failed.test, runs, one);
    const bool can_be = one.complete && one.finding.kind != FindingKind::divergence;
    shown.is_reproduced = shown.is_reproduced && (one.replayed || !can_be);
    const bool can_be_replayed = runs != Runs::specification;
    if (shown.findings.empty() && runs == Runs::concurrently) first_schedule_ = schedule_of(one);
    shown.findings.push_back(
        make_finding(one, settings_, watch_.board(), [&](const std::string& options) {
          return can_be_replayed ? replay_command(failed, options) : report::Replay();
        }));
  }
  if (shown.findings.empty()) shown.findings.push_back(finding_without_run(failed.result, cut));
  const report::Finding& first = shown.findings.front();
  shown.headline = subject_of_finding(object_, failed.result) + ": " + report::finding_words(first);
  const bool is_race = first.kind == FindingKind::race && runs == Runs::concurrently;
  if (!is_race || !first.replayed || !may_look_further()) return;
  shown.without_races = without_races(failed);
  if (shown.without_races->verdict == Verdict::violation)
    shown.headline += "; apart from it: " + shown.without_races->words;
}

void FailedTests::show_history(const lineup::TestFailure& failed, report::FailedTest& shown) {
  const CheckResult& result = failed.result;
  lineup::Explanation why = lineup::explain(failed.test, object_, result, runner_.results());
  if (result.history &&
      leaves_values(result.by, failed.test, object_, *result.history, runner_.results())) {
    why.why.push_back(
        "Values are left inside. " + std::string(to_string(result.by.quasi.relaxation)) +
        " does not know that they could still be taken out, in another order: take them out at "
        "the end (post ...), or ask for --relaxation strict.");
  }
  shown.why = std::move(why.why);
  if (why.counterexample)
    shown.evidence = {report::Refutation{{why.history, report::borrowed(why.specification), {}},
                                         *std::move(why.counterexample),
                                         std::move(why.differs)},
                      std::move(why.quasi)};
  if (!result.history) return;
  Shown one;
  one.schedule = result.history->schedule;
  one.heap = result.history->heap;
  runner_.switch_at(result.history->points);
  run_again(failed.test, result.serially ? Runs::serially : Runs::concurrently, one);
  shown.is_reproduced = runner_.is_same(one.history, *result.history);
  first_schedule_ = schedule_of(one);
  shown.interleaving = make_interleaving(
      one, settings_, watch_.board(),
      [&](const std::string& options) { return replay_command(failed, options); });
  if (result.failure == Failure::blocked) show_waits(failed, shown);
  if (!result.serially && shown.is_reproduced && may_look_further()) show_race(failed, shown);
}

void FailedTests::show_waits(const lineup::TestFailure& failed, report::FailedTest& shown) {
  const report::Interleaving& stuck = *shown.interleaving;
  const std::string waits = report::waits_words(stuck);
  if (waits.empty()) return;
  std::string culprit;
  if (const int operation = failed.result.culprit; operation >= 0)
    culprit =
        lineup::thread_name(lineup::cells(failed.test)[static_cast<std::size_t>(operation)].thread);
  const bool is_deadlock = report::is_deadlock(stuck, culprit);
  shown.why.push_back((is_deadlock ? "Deadlock: " : "") + waits + ".");
  if (is_deadlock && !failed.result.serially)
    shown.headline = object_.name + " deadlocks" + kBlocks;
}

void FailedTests::show_race(const lineup::TestFailure& failed, report::FailedTest& shown) {
  std::optional<Shown> race = runner_.find_race(failed.test, *failed.result.history, kMostAside);
  if (!race) return;
  run_again(failed.test, Runs::concurrently, *race);
  if (!race->replayed) return;
  shown.headline += ", and has a data race";
  shown.races.push_back(
      make_finding(*race, settings_, watch_.board(),
                   [&](const std::string& options) { return replay_command(failed, options); }));
}

void FailedTests::run_again(const lineup::Matrix& test, Runs runs, Shown& shown) {
  runner_.show(test, runs, shown);
  shown.is_serial = runs != Runs::concurrently;
}

// What was found serially is found again concurrently, soon: only such a schedule can be
// replayed by a command; unless it is the object's own, which is not the specification.
// Returns nothing if the test did not show it again, perhaps because of `cut`, and what the runner
// found last is of another test.
std::vector<Shown> FailedTests::findings_of(const lineup::TestFailure& failed,
                                            ObjectRunner::Runs& runs, lineup::Cut& cut) {
  const CheckResult again =
      check(runner_, object_, failed.test, with_preemptions(failed.preemptions));
  cut = again.cut;
  if (again.failure != Failure::finding) {
    if (!runner_.found_in(failed.test)) return {};
    const bool is_specification = failed.result.phase1.end == lineup::RunResult::End::finding;
    if (failed.result.serially) runs = Runs::serially;
    if (is_specification) runs = Runs::specification;
    return runner_.findings();
  }
  std::vector<Shown> serial = runner_.findings();
  if (again.serially) runs = ObjectRunner::Runs::serially;
  if (again.phase1.end != lineup::RunResult::End::finding) return serial;
  if (object_.reference.empty()) {
    const lineup::RunResult ran =
        runner_.concurrent(failed.test, lineup::size(failed.test),
                           [](const lineup::ObservedHistory&) { return true; });
    if (ran.end == lineup::RunResult::End::finding) return runner_.findings();
  }
  runs = ObjectRunner::Runs::specification;
  return serial;
}

lineup::CheckSettings FailedTests::with_preemptions(int n) const {
  lineup::CheckSettings settings = object_settings_.campaign.check;
  settings.preemptions = n;
  settings.serial_first = begins_serially(object_, settings_);
  return settings;
}

}  // namespace plumb::session
