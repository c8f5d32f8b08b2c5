// SPDX-License-Identifier: MIT
#include "session/object_test.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <numeric>
#include <utility>

#include "base/output_file.hpp"
#include "base/shell.hpp"
#include "base/text.hpp"
#include "lineup/observations.hpp"
#include "lineup/resemblance.hpp"
#include "report/text.hpp"
#include "session/collect.hpp"
#include "session/compare.hpp"
#include "session/failed_tests.hpp"
#include "session/frozen_runner.hpp"
#include "session/object_runner.hpp"
#include "session/object_scope.hpp"
#include "session/object_workers.hpp"
#include "session/regression.hpp"
#include "session/unseen_code.hpp"

namespace plumb::session {

using lineup::CampaignResult;
using lineup::CheckResult;
using lineup::Matrix;
using lineup::TestProgress;

namespace {

class ObjectTester {
 public:
  ObjectTester(Watch& watch, const Settings& settings, const ObjectSettings& object_settings,
               ObjectSave& save, const lineup::Object& object, const TestedProgram& program)
      : watch_(watch), settings_(settings), object_settings_(object_settings), save_(save),
        object_(object), program_(program), cores_(ObjectWorkers::cores_of(settings)),
        runner_(watch, settings, object_settings,
                ObjectWorkers::cores_of(settings) > 1 ? &cores_ : nullptr) {}

  Tested run() {
    const double begin = seconds_now();
    watch_.begin();
    std::string wrong;
    if (settings_.observations.empty()) campaign_ = run_campaign(runner_);
    else wrong = run_observed();
    seconds_ = seconds_now() - begin;
    const bool may_go_on = campaign_.interrupted || campaign_.ended_by_limit;
    if (!may_go_on) save_.remove();
    if (!wrong.empty()) return failed(ErrorKind::bad_input, wrong);
    if (!campaign_.unusable.empty())
      return failed(campaign_.unusable_error, program_.name + ": " + campaign_.unusable);
    const bool any = campaign_.in_order + campaign_.at_random + campaign_.given > 0;
    is_empty_shard_ = !any && object_settings_.campaign.shards > 1;
    if (!any && !campaign_.interrupted && !is_empty_shard_)
      return failed(ErrorKind::usage,
                    program_.name + ": there is no such test of " + object_.name +
                        ": --operations and --size say how large they are, its description "
                        "which threads may call what");
    if (is_no_schedule())
      return failed(ErrorKind::usage, no_schedule_text(runner_.findings().front().finding));
    return tested();
  }

 private:
  Tested failed(ErrorKind kind, std::string why) const {
    Tested tested;
    tested.report.command = report::Command::test;
    tested.report.file = program_.name;
    tested.report.scope = report::CampaignScope();
    tested.report.error = kind;
    tested.report.reason = std::move(why);
    return tested;
  }

  // A replay of what is no schedule of the program.
  bool is_no_schedule() const {
    return !settings_.replay.empty() && !campaign_.failures.empty() &&
           campaign_.failures[0].result.failure == lineup::Failure::finding &&
           !runner_.findings().empty() &&
           runner_.findings().front().finding.kind == FindingKind::divergence;
  }

  Tested tested() {
    watch_.begin_evidence();
    FailedTests shown(watch_, runner_, settings_, object_settings_, object_, program_.replay);
    Tested tested{make_report(shown), {}};
    std::get<report::CampaignScope>(tested.report.scope).resemblance = resemblance(tested.report);
    for (const auto& [number, one] : save_.cases()) tested.cases.push_back(one);
    // What was shrunk is shown once, with the first that failed.
    for (report::Case& one : tested.cases) {
      if (one.outcome != report::CaseVerdict::violation) continue;
      one.text = report::text_report(tested.report, {});
      if (!tested.report.failures.empty()) one.message = tested.report.failures.front().headline;
      one.replay = tested.report.replay;
      break;
    }
    if (!settings_.regression.empty() && shown.regression()) {
      const Status written =
          write_regression(settings_.regression, program_.source, *shown.regression());
      if (!written) return failed(written.error().kind, written.error().to_string());
      tested.report.written_test = settings_.regression;
    }
    return tested;
  }

  report::Report make_report(FailedTests& shown) {
    report::Report report;
    report.command = report::Command::test;
    report.file = program_.name;
    const lineup::BySpecification& by = object_settings_.campaign.check.by;
    if (by.is_relaxed()) report.property = "quasi-linearizable";
    report.specification = by ? by.specification->name() : object_.reference;
    report.interrupted = campaign_.interrupted;
    report.scope = campaign_scope(object_, object_settings_, settings_, campaign_);
    for (const int call : observed_by_)
      std::get<report::CampaignScope>(report.scope)
          .observed_by.push_back(object_.invocations[static_cast<std::size_t>(call)].text);
    report.unseen = unseen_code(watch_.board());
    report.suppressions = watch_.count_suppressed(campaign_.suppressed);
    if (campaign_.guessed) report.notes.emplace_back(report::kSpinWaitNote);
    if (show_failures(report, shown)) {
      report.verdict = Verdict::violation;
    } else if (!campaign_.failures.empty()) {
      report.stopped = StopReason::not_applicable;
      report.reason =
          kNotReproduced +
          (report.unseen.empty() ? std::string() : "; " + report::unseen_words(report.unseen));
    } else if (campaign_.undecided > 0 || campaign_.interrupted) {
      report.stopped = campaign_.interrupted ? StopReason::interrupted : stop_reason(campaign_.cut);
      report.reason = campaign_.interrupted ? "interrupted" : reason_text(campaign_.cut);
    } else if (is_empty_shard_ && !settings_.allow_empty) {
      report.stopped = StopReason::nothing_checked;
      report.reason = "nothing was checked: this shard has no test (--allow-empty accepts it)";
    } else {
      report.verdict = Verdict::holds;
    }
    if (settings_.compare) report.comparison = std::move(cycle_);
    report.seconds = seconds_;
    report.peak_bytes = watch_.peak_bytes();
    return report;
  }

  // What the class is serially, where that is its specification. It costs some hundred executions,
  // after which nothing else is run.
  std::optional<lineup::Resemblance> resemblance(const report::Report& report) {
    if (report.verdict == Verdict::violation || !campaign_.failures.empty() || is_empty_shard_ ||
        !is_own_specification() || !may_run_more())
      return std::nullopt;
    // If the time limit was reached, this comes after it.
    const bool is_late =
        campaign_.cut.by == lineup::CutBy::time || campaign_.deeper_cut.by == lineup::CutBy::time;
    const double most = is_late ? std::min(2.0, settings_.timeout / 10) : 2.0;
    watch_.end_within(most);  // also a run that hangs
    const double end = seconds_now() + most;
    lineup::BehaviourLimits limits;
    limits.may_continue = [end] {
      return seconds_now() < end && !CatchInterrupt::was_interrupted();
    };
    const lineup::CampaignSettings& asked = object_settings_.campaign;
    return lineup::resemblance(runner_, object_, asked.units, asked.initial, limits);
  }

  // Its serial histories, one for the same calls, are what its tests are compared with.
  bool is_own_specification() const {
    const lineup::CheckSettings& check = object_settings_.campaign.check;
    return !check.by && object_.reference.empty() && settings_.observations.empty() &&
           check.nondeterministic.empty() &&
           std::ranges::none_of(object_.invocations, &lineup::Invocation::asynchronous);
  }

  // A test that hangs would hang again.
  bool may_run_more() const {
    const lineup::CutBy by = campaign_.cut.by;
    const bool is_short_of_memory =
        by == lineup::CutBy::memory || campaign_.deeper_cut.by == lineup::CutBy::memory;
    return !campaign_.interrupted && !is_short_of_memory && by != lineup::CutBy::other &&
           settings_.replay.empty();
  }

  // What a process did in which nothing had run before. False: there is nothing of that kind.
  bool show_failures(report::Report& report, FailedTests& shown) {
    lineup::CampaignCounts& counts = std::get<report::CampaignScope>(report.scope).counts;
    for (const lineup::TestFailure& failed : campaign_.failures) {
      report::FailedTest one = shown.show(failed);
      if (!one.is_reproduced) {
        counts.failed -= failed.times;
        counts.undecided += failed.times;
        std::get<report::CampaignScope>(report.scope).undecided_test = one.test;
        for (auto& [number, kept] : save_.cases())
          if (kept.name == one.found) kept.outcome = report::CaseVerdict::undecided;
        continue;
      }
      if (report.replay.empty() && one.interleaving)
        report.replay = one.interleaving->replay.command;
      for (const report::Finding& finding : one.findings)
        if (report.replay.empty()) report.replay = finding.interleaving.replay.command;
      report.failures.push_back(std::move(one));
    }
    return !report.failures.empty();
  }

  CampaignResult run_campaign(lineup::Runner& runner) {
    lineup::CampaignSettings campaign = object_settings_.campaign;
    campaign.on_tested = [this](std::uint64_t number, const Matrix& test, const CheckResult& result,
                                const TestProgress& progress) {
      if (progress.verdict != TestProgress::Verdict::open)
        keep_case(number, test, result, progress);
      // At once, as long as the first is known.
      if (result.phase2.alarms.cyclic > 0 && !has_cycle_) show_cycle(test, result.phase2.alarms);
    };
    campaign.resume = save_.state();
    campaign.save = [this](const std::function<lineup::CampaignState()>& state) {
      save_.write(state, seconds_now());
    };
    // What was observed is of this test, and of no smaller one.
    if (!settings_.observations.empty()) campaign.shrink = false;
    campaign.check.preemptions = settings_.serial              ? lineup::Runner::kSerial
                                 : settings_.preemptions_given ? settings_.preemptions
                                                               : lineup::Runner::kUsual;
    campaign.check.serial_first = begins_serially(object_, settings_);
    observe(runner, campaign);
    ObjectWorkers workers(watch_, runner_, settings_, object_settings_, cores_);
    CampaignResult result = lineup::run_campaign(
        runner, object_, campaign,
        [&](const CampaignResult& so_far, const Matrix& test) {
          watch_.progress_words = [&] { return progress_words(so_far, test); };
          return !CatchInterrupt::was_interrupted();
        },
        workers.count() > 0 ? &workers : nullptr);
    workers.share_distrust();
    watch_.progress_words = nullptr;
    return result;
  }

  // How tests end, and what they may begin with. Calls that belong together are not torn apart.
  void observe(lineup::Runner& runner, lineup::CampaignSettings& campaign) {
    lineup::Column calls;
    for (const lineup::Column& unit : campaign.units)
      if (unit.size() == 1) calls.push_back(unit[0]);
    if (!campaign.given.empty() || calls.size() < campaign.units.size()) return;
    std::erase_if(calls, [&](int call) {  // for a thread that no test has
      return invocation(call).only_on >= std::max(campaign.threads, campaign.columns);
    });
    observed_by_ = campaign.observers.calls();  // that were given
    const bool is_asked =
        settings_.observe == "auto" && campaign.final.empty() && !campaign.check.by.is_relaxed();
    if (!is_asked && !campaign.all_sizes) return;
    watch_.hurry(true);  // what hangs is found again, and is then given all its time
    lineup::Observers found = lineup::Observers::find(runner, object_, calls);
    watch_.hurry(false);
    // What is for one thread, and asks which it is on, is not for the main thread.
    if (runner.read_thread_id()) {
      found.leave_out(
          [&](int call) { return invocation(call).only_on >= 0 || invocation(call).one_thread; });
      calls = found.first();
    }
    campaign.first = found.first().empty() ? calls : found.first();
    if (!is_asked) return;
    observed_by_ = found.calls();
    campaign.observers = std::move(found);
  }

  const lineup::Invocation& invocation(int number) const {
    return object_.invocations[static_cast<std::size_t>(number)];
  }

  std::string progress_words(const CampaignResult& so_far, const Matrix& test) const {
    const lineup::StageCount& now = so_far.stages[so_far.stage];
    const int bound = now.stage.preemptions;
    const std::string stage = bound >= 0 ? "bound " + std::to_string(bound) + ": "
                              : bound == lineup::Runner::kEvery ? "every schedule: "
                                                                : "";
    return stage + text::count_words(now.done) + " of " + text::count_words(now.all, "test") +
           ", " + text::count_words(so_far.failed) + " failed; " + to_text(test, object_);
  }

  std::string run_observed() {
    const Matrix& test = object_settings_.campaign.given[0];
    const std::string& file = settings_.observations;
    if (std::filesystem::is_directory(file)) return file + ": is a folder";
    if (std::ifstream in(file, std::ios::binary); in) {
      const std::string xml(std::istreambuf_iterator<char>(in), {});
      lineup::SerialHistories serial;
      const std::string wrong = lineup::from_xml(xml, test, object_, runner_.results(), serial);
      if (!wrong.empty()) return file + ": " + wrong;
      if (serial.full().empty() && serial.stuck().empty())
        return file + ": has no history of " + to_text(test, object_);
      FrozenRunner frozen(runner_, std::move(serial));
      campaign_ = run_campaign(frozen);
      return {};
    }
    lineup::SerialHistories serial;
    const lineup::RunResult ran = runner_.serial(
        test, [&](const lineup::ObservedHistory& history) { return serial.add(history), true; });
    if (ran.end == lineup::RunResult::End::complete) {
      const std::string xml = lineup::to_xml(test, object_, serial, runner_.results());
      const Status written = write_whole(file, xml);
      if (!written.ok()) return describe_unwritten(written.error());
    }
    campaign_ = run_campaign(runner_);
    return {};
  }

  // A later stage may change what became of it.
  void keep_case(std::uint64_t number, const Matrix& test, const CheckResult& result,
                 const TestProgress& progress) {
    report::Case& one = save_.cases()[number];
    one = {to_text(test, object_), report::CaseVerdict::holds};
    one.seconds = std::accumulate(progress.seconds.begin(), progress.seconds.end(), 0.0);
    if (progress.verdict == TestProgress::Verdict::fail) {
      one.outcome = report::CaseVerdict::violation;
      one.message = headline(object_, result);
    } else if (progress.verdict == TestProgress::Verdict::undecided) {
      one.outcome = report::CaseVerdict::undecided;
      one.message = reason_text(progress.cut);
    }
  }

  void show_cycle(const Matrix& test, const lineup::Alarms& alarms) {
    has_cycle_ = true;
    if (alarms.schedule.empty()) return;  // it is too long to be kept
    Shown shown;
    shown.schedule = alarms.schedule;
    shown.heap = alarms.heap;
    runner_.switch_at(alarms.points);
    runner_.show(test, ObjectRunner::Runs::concurrently, shown);
    cycle_ = cycle_of(test, object_, shown, watch_.shown_board(), watch_.board(), settings_,
                      [&](const std::string& options) {
                        return program_.replay("--test " + shell_word(to_text(test, object_)) +
                                               " " + criterion_words(settings_, object_settings_) +
                                               "--compare " + options);
                      });
  }

  Watch& watch_;
  const Settings& settings_;
  const ObjectSettings& object_settings_;
  ObjectSave& save_;
  const lineup::Object& object_;
  const TestedProgram& program_;
  Cores cores_;
  ObjectRunner runner_;
  CampaignResult campaign_;
  bool is_empty_shard_ = false;
  bool has_cycle_ = false;
  lineup::Column observed_by_;  // calls with which tests end
  report::Comparison cycle_;    // the first, if it could be shown
  double seconds_ = 0;
};

}  // namespace

lineup::Object object_of(const plumb_object& object) {
  lineup::Object result;
  result.name = object.name;
  result.data_independent = object.data_independent != 0;
  if (object.reference != nullptr) result.reference = object.reference->name;
  for (int i = 0; i < object.count; ++i) {
    const plumb_operation& o = object.operations[i];
    result.invocations.push_back({o.method, o.text, o.only_on, o.one_thread != 0,
                                  (o.traits & plumb_operation::may_fail) != 0,
                                  (o.traits & plumb_operation::weak_read) != 0,
                                  (o.traits & plumb_operation::asynchronous) != 0,
                                  (o.traits & plumb_operation::returns_bool) != 0, o.sample});
  }
  return result;
}

Tested test_object(Watch& watch, const Settings& settings, const ObjectSettings& object_settings,
                   ObjectSave& save, const lineup::Object& object, const TestedProgram& program) {
  return ObjectTester(watch, settings, object_settings, save, object, program).run();
}

}  // namespace plumb::session
