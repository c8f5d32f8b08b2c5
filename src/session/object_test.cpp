// SPDX-License-Identifier: MIT
#include "session/object_test.hpp"

#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "base/json_text.hpp"
#include "base/shell.hpp"
#include "base/text.hpp"
#include "check/property/quasi/relaxation.hpp"
#include "explain/words.hpp"
#include "explore/schedule.hpp"
#include "lineup/observations.hpp"
#include "lineup/tell.hpp"
#include "report/version.hpp"
#include "session/compare.hpp"
#include "session/frozen_runner.hpp"
#include "session/object_runner.hpp"
#include "session/object_scope.hpp"
#include "session/regression.hpp"

namespace plumb::session {

using lineup::CampaignResult;
using lineup::CheckResult;
using lineup::FailedTest;
using lineup::Failure;
using lineup::Matrix;
using text::count_words;
using text::seconds_words;

namespace {

// "deq=2, strict"
std::string factors(const lineup::BySpecification& by) {
  std::string text;
  for (const QuasiSet& set : by.quasi.sets) text += quasi::words(set) + ", ";
  return text + by.quasi.relaxation;
}

// "TicketQueue is not linearizable"
std::string headline(const lineup::Object& object, const CheckResult& result) {
  const std::string& reference = object.reference;
  // In phase 1 the reference is on its own.
  const std::string by_itself = reference.empty()
                                    ? object.name
                                    : reference + ", against which " + object.name + " is tested,";
  switch (result.failure) {
    case Failure::nondeterministic: return by_itself + " is not deterministic, even serially";
    case Failure::unexplained:
    case Failure::blocked:
      if (result.serially && !reference.empty())
        return object.name + " does not do what " + reference + " does, even serially";
      return object.name +
             (result.by.is_relaxed() ? " is not quasi linearizable by " + factors(result.by)
                                     : " is not linearizable") +
             (result.failure == Failure::blocked ? ": an operation waits without a reason" : "");
    case Failure::finding:
      return (result.phase1.end == lineup::Ran::End::finding ? by_itself : object.name) +
             " has a finding";
    case Failure::none: break;
  }
  return object.name + " holds";
}

bool begins_serially(const lineup::Object& object, const ObjectSettings& own,
                     const Settings& settings) {
  return !object.reference.empty() && !own.serial && settings.replay.empty();
}

const char* name_of(Failure failure) {
  switch (failure) {
    case Failure::nondeterministic: return "nondeterministic";
    case Failure::unexplained: return "not-linearizable";
    case Failure::blocked: return "blocked";
    case Failure::finding: return "finding";
    case Failure::none: break;
  }
  return "none";
}

class ObjectTester {
 public:
  ObjectTester(Watch& watch, const Settings& settings, const ObjectSettings& object_settings,
               ObjectSave& save, const lineup::Object& object, std::string name, std::string source,
               const std::function<std::string(const std::string&)>& again)
      : watch_(watch), settings_(settings), own_(object_settings), save_(save), object_(object),
        name_(std::move(name)), source_(std::move(source)), again_(again),
        runner_(watch, settings, object_settings) {}

  Tested run() {
    const double begin = seconds_now();
    watch_.begin();
    std::string error;
    if (own_.observations.empty()) {
      campaign_ = run_campaign(runner_);
    } else {
      error = run_observed();
    }
    seconds_ = seconds_now() - begin;
    const bool may_go_on = campaign_.interrupted || campaign_.reason == "time";
    if (!may_go_on) save_.remove();
    if (!error.empty()) {
      tested_.status = 65;
      tested_.report.text = error + "\n";
      return std::move(tested_);
    }
    if (!campaign_.unusable.empty()) {
      tested_.status = 70;
      tested_.report.text = name_ + ": " + campaign_.unusable + "\n";
      return std::move(tested_);
    }
    const bool any = campaign_.in_order + campaign_.at_random + campaign_.given > 0;
    if (!any && !campaign_.interrupted) {
      tested_.status = 64;
      tested_.report.text = name_ + ": there is no such test of " + object_.name +
                            ": --operations and --size say how large they are, its description " +
                            "which threads may call what\n";
      return std::move(tested_);
    }
    if (!settings_.replay.empty() && !campaign_.failures.empty() &&
        campaign_.failures[0].result.finding ==
            session::name_of(runtime::FindingKind::divergence)) {
      tested_.status = 64;
      tested_.report.text = no_schedule_text(runner_.findings().front().finding) + "\n";
      return std::move(tested_);
    }
    tell();
    tested_.report.cases = save_.cases();
    // What was shrunk is told once, with the first that failed.
    for (report::Case& one : tested_.report.cases) {
      if (one.outcome != report::Outcome::violation) continue;
      one.text = tested_.report.text;
      one.again = tested_.report.again;
      break;
    }
    if (!own_.regression.empty() && regression_) {
      const Trouble trouble = write_regression(own_.regression, source_, *regression_);
      if (trouble.status == 0) tested_.report.text += "  As a test: " + own_.regression + "\n";
      else tested_.status = trouble.status, tested_.report.text = trouble.text + "\n";
    }
    return std::move(tested_);
  }

 private:
  CampaignResult run_campaign(lineup::Runner& runner) {
    const bool shows_progress = isatty(STDERR_FILENO) != 0 && !settings_.quiet && !settings_.json;
    const double begin = seconds_now();
    double last = begin;
    lineup::CampaignSettings campaign = own_.campaign;
    campaign.on_tested = [this](const Matrix& test, const CheckResult& result) {
      keep_case(test, result);
      // At once: what later tests add to the scheduling points would make it another schedule.
      if (result.phase2.alarms.cyclic > 0 && !has_cycle_) show_cycle(test, result.phase2.alarms);
    };
    campaign.resume = save_.state();
    campaign.save = [this](const lineup::CampaignState& state) {
      save_.write(state, seconds_now());
    };
    // What was observed is of this test, and of no smaller one.
    if (!own_.observations.empty()) campaign.shrink = false;
    campaign.check.preemptions = own_.serial                   ? lineup::Runner::kSerial
                                 : settings_.preemptions_given ? settings_.preemptions
                                                               : lineup::Runner::kUsual;
    campaign.check.serial_first = begins_serially(object_, own_, settings_);
    CampaignResult result = lineup::run_campaign(
        runner, object_, campaign, [&](const CampaignResult& so_far, const Matrix& test) {
          const double now = seconds_now();
          if (shows_progress && now - begin > 2 && now - last > 0.5) {
            last = now;
            std::fprintf(stderr, "\r\033[K%s passed, %s failed; %s",
                         text::count_words(so_far.passed, "test").c_str(),
                         text::count_words(so_far.failed).c_str(),
                         text::elide(to_text(test, object_), 60).c_str());
          }
          return !CatchInterrupt::was_interrupted();
        });
    if (shows_progress && last != begin) std::fprintf(stderr, "\r\033[K");
    return result;
  }

  std::string run_observed() {
    const Matrix& test = own_.campaign.given[0];
    const std::string& file = own_.observations;
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
    const lineup::Ran ran = runner_.serial(
        test, [&](const lineup::History& history) { return serial.add(history), true; });
    if (ran.end == lineup::Ran::End::complete) {
      std::ofstream out(file, std::ios::binary);
      out << lineup::to_xml(test, object_, serial, runner_.results());
      if (!out.flush()) return file + ": can not be written";
    }
    campaign_ = run_campaign(runner_);
    return {};
  }

  void keep_case(const Matrix& test, const CheckResult& result) {
    report::Case one{to_text(test, object_), report::Outcome::holds};
    one.seconds = result.phase1.seconds + result.phase2.seconds;
    if (result.verdict == CheckResult::Verdict::fail) {
      one.outcome = report::Outcome::violation;
      one.message = headline(object_, result);
    } else if (result.verdict == CheckResult::Verdict::undecided) {
      one.outcome = report::Outcome::undecided;
      one.message = reason_text(result.reason);
    }
    save_.cases().push_back(std::move(one));
  }

  void show_cycle(const Matrix& test, const lineup::Alarms& alarms) {
    has_cycle_ = true;
    if (alarms.schedule.empty()) return;  // it is too long to be kept
    Shown shown;
    shown.schedule = alarms.schedule;
    shown.heap = alarms.heap;
    runner_.show(test, ObjectRunner::Runs::concurrently, shown);
    cycle_ = tell_cycle(test, object_, shown, watch_.shown_board(), watch_.board(), settings_,
                        [&](const std::string& options) {
                          return again_("--test " + shell_word(to_text(test, object_)) + " " +
                                        criterion_words() + "--compare " + options);
                        });
  }

  void tell() {
    std::string& text = tested_.report.text;
    nlohmann::json json = {
        {"report", 1},
        {"tool", "plumb"},
        {"command", "test"},
        {"file", name_},
        {"version", report::version()},
        {"property", own_.campaign.check.by.is_relaxed() ? "quasi-linearizable" : "linearizable"},
        {"specification", nullptr}};
    if (!specification().empty()) json["specification"] = specification();
    const std::string covered =
        "(" + text::count_words(campaign_.passed + campaign_.failed + campaign_.undecided, "test") +
        ", " + text::count_words(campaign_.executions, "execution") + ", " +
        text::seconds_words(seconds_) + ")\n";
    const std::string scope = scope_text(object_, own_, settings_, campaign_);
    nlohmann::json evidence = {{"kind", "none"}};
    nlohmann::json findings = nlohmann::json::array();
    nlohmann::json failures = nlohmann::json::array();
    if (!campaign_.failures.empty()) {
      tested_.status = 1;
      json["verdict"] = "violation";
      text = "VIOLATION  " + name_ + ": " + headline(object_, campaign_.failures[0].result) + " " +
             covered;
      for (const FailedTest& failed : campaign_.failures)
        tell_failure(failed, text, evidence, findings, failures);
      if (campaign_.failed > 1 || own_.campaign.keep_going || campaign_.permutations > 0)
        text += "\n" + scope;
      if (campaign_.undecided > 0)
        text += "  " + text::count_words(campaign_.undecided) +
                " not decided: " + reason_text(campaign_.reason) + "\n";
      if (campaign_.interrupted) text += "  it was interrupted: not all tests were run\n";
    } else if (campaign_.undecided > 0 || campaign_.interrupted) {
      tested_.status = campaign_.interrupted ? 130 : 2;
      json["verdict"] = "undecided";
      const std::string reason =
          campaign_.interrupted ? "it was interrupted" : reason_text(campaign_.reason);
      json["reason"] = reason;
      text = "UNDECIDED  " + name_ + ": " + object_.name + ": " +
             text::count_words(campaign_.undecided, "test") + " not decided, because " + reason +
             " " + covered;
      if (campaign_.undecided > 0)
        text += "  the first: " + to_text(campaign_.undecided_test, object_) + "\n";
      text += scope;
    } else {
      tested_.status = 0;
      json["verdict"] = "holds";
      std::string what =
          specification().empty() ? "serial histories explain" : specification() + " explains";
      if (own_.campaign.check.by.is_relaxed())
        what = specification() + ", relaxed by " + factors(own_.campaign.check.by) + ", explains";
      text = "HOLDS  " + name_ + ": " + object_.name + ": " + what + " all that was seen " +
             covered + scope;
    }
    tested_.executions = campaign_.executions;
    json["evidence"] = evidence;
    json["findings"] = findings;
    json["scope"] = scope_json(object_, own_, settings_, campaign_);
    if (!failures.empty()) json["failures"] = failures;
    if (own_.compare) {
      const Report comparison = tell_comparison(campaign_, cycle_);
      text += comparison.text;
      json["comparison"] = nlohmann::json::parse(comparison.json);
    }
    tested_.report.seconds = seconds_;
    json["seconds"] = seconds_;
    json["peak_bytes"] = watch_.peak_bytes();
    tested_.report.json = dumped(json, 2);
  }

  void tell_failure(const FailedTest& failed, std::string& text, nlohmann::json& evidence,
                    nlohmann::json& findings, nlohmann::json& failures) {
    const CheckResult& result = failed.result;
    const std::string test = to_text(failed.test, object_);
    text += "\n  Test: " + test + "\n";
    const bool is_replay = !settings_.replay.empty();
    if (result.serially) text += "  serially\n";
    else if (result.failure != Failure::nondeterministic && !is_replay)
      text += "  with " + how_many(failed) + "\n";
    if (failed.shrinking_was_cut) text += "  (not shrunk further: there was no more time)\n";
    if (failed.times > 1)
      text += "  (" + text::count_words(failed.times, "test") + " fail like it)\n";
    nlohmann::json entry = {{"kind", name_of(result.failure)},
                            {"test", test},
                            {"found", to_text(failed.found, object_)},
                            {"tests", failed.times},
                            {"preemptions", std::max(failed.preemptions, -1)}};
    Regression regression{headline(object_, result) + ": " + test, "",
                          "--test " + shell_word(test) + " " + criterion_words()};
    if (failed.preemptions >= 0)
      regression.options += "--preemptions " + std::to_string(failed.preemptions);
    const auto add_schedule = [&](const Shown& shown) {
      if (!result.serially && !shown.schedule.empty() && shown.complete)
        regression.options += " --first " + explore::to_text(shown.schedule);
    };
    const auto again = [&](const std::string& options) {
      return again_("--test " + shell_word(test) + " " + criterion_words() +
                    (result.serially ? "--serial " : "") + options);
    };
    const std::size_t story = text.size();
    if (result.failure == Failure::finding) {
      // The runner knows more; what it found is shown as plain explorations show it.
      ObjectRunner::Runs runs = ObjectRunner::Runs::concurrently;
      bool is_first = true;
      for (Shown shown : findings_of(failed, runs)) {
        show(failed.test, runs, shown);
        const bool can_be_replayed = runs != ObjectRunner::Runs::specification;
        const Told told = tell_shown(shown, settings_, watch_.board(), [&](const auto& options) {
          return can_be_replayed ? again(options) : "";
        });
        text += told.text;
        if (is_first) regression.story = text.substr(story + 1);
        if (is_first && runs == ObjectRunner::Runs::concurrently) add_schedule(shown);
        is_first = false;
        if (can_be_replayed) text += "\n  Again: " + told.again + "\n";
        if (tested_.report.again.empty()) tested_.report.again = told.again;
        findings.push_back(nlohmann::json::parse(told.json));
      }
    } else {
      lineup::Told told = lineup::tell(failed.test, object_, result, runner_.results());
      if (result.history &&
          leaves_values(result.by, failed.test, object_, *result.history, runner_.results())) {
        told.why.push_back(
            "Values are left inside. " + result.by.quasi.relaxation +
            " does not know that they could still be taken out, in another order: take them out at "
            "the end (post ...), or ask for --relaxation strict.");
      }
      text += "\n" + told.table + "\n";
      for (const std::string& sentence : told.why) text += text::paragraph_words(sentence, 100);
      regression.story = text.substr(story + 1);
      nlohmann::json shown_evidence = nlohmann::json::parse(told.evidence);
      if (!told.differs.empty()) shown_evidence["differs"] = told.differs;
      if (evidence["kind"] == "none") evidence = shown_evidence;
      entry["why"] = told.why;
      entry["history"] = shown_evidence["history"];
      if (result.history) {
        Shown shown;
        shown.schedule = result.history->schedule;
        shown.heap = result.history->heap;
        runner_.switch_at(result.history->points);
        show(failed.test,
             result.serially ? ObjectRunner::Runs::serially : ObjectRunner::Runs::concurrently,
             shown);
        add_schedule(shown);
        const Told shown_told = tell_shown(shown, settings_, watch_.board(), again);
        text += shown_told.text + "\n  Again: " + shown_told.again + "\n";
        entry["replay"] = shown_told.again;
        if (tested_.report.again.empty()) tested_.report.again = shown_told.again;
        entry["schedule"] = explore::to_text(shown.schedule);
        entry["steps"] = nlohmann::json::parse(shown_told.json)["schedule"]["steps"];
      }
      if (own_.campaign.check.all_histories)
        text += "  " + text::count_words(result.violating) + " of " +
                text::count_words(result.histories) +
                (result.violating == 1 ? " histories is a violation.\n"
                                       : " histories are violations.\n");
      entry["violating_histories"] = result.violating;
    }
    regression.options += circumstances(settings_);
    if (!own_.has_own_main && !is_replay)
      text += "  As a test: plumb::test(...).options(" + cpp_text(regression.options) + ")\n";
    if (!regression_) regression_ = std::move(regression);
    failures.push_back(entry);
  }

  // Serially there is no interleaving to be told.
  void show(const Matrix& test, ObjectRunner::Runs runs, Shown& shown) {
    runner_.show(test, runs, shown);
    if (runs != ObjectRunner::Runs::concurrently) shown.trace.clear();
  }

  std::string specification() const {
    const lineup::BySpecification& by = own_.campaign.check.by;
    return by ? by.specification->name() : object_.reference;
  }

  // "1 preemption": no fewer do; or the bound of the search that found it.
  static std::string how_many(const FailedTest& failed) {
    const bool is_bound = !failed.is_least && failed.preemptions >= 0;
    return (is_bound ? "at most " : "") + preemptions_words(failed.preemptions);
  }

  // What was found serially is found again concurrently, soon: only such a schedule can be
  // replayed by a command; unless it is the object's own, which is not the specification.
  std::vector<Shown> findings_of(const FailedTest& failed, ObjectRunner::Runs& runs) {
    const CheckResult again =
        check(runner_, object_, failed.test, with_preemptions(failed.preemptions));
    std::vector<Shown> serial = runner_.findings();
    if (again.serially) runs = ObjectRunner::Runs::serially;
    if (again.phase1.end != lineup::Ran::End::finding) return serial;
    if (object_.reference.empty()) {
      const lineup::Ran ran = runner_.concurrent(failed.test, lineup::size(failed.test),
                                                 [](const lineup::History&) { return true; });
      if (ran.end == lineup::Ran::End::finding) return runner_.findings();
    }
    runs = ObjectRunner::Runs::specification;
    return serial;
  }

  // What a history is judged by: a replay needs it as well.
  std::string criterion_words() const {
    std::string words;
    if (own_.campaign.check.classic) words += "--classic ";
    if (!own_.specification_name.empty())
      words += "--spec " + shell_word(own_.specification_name) + " ";
    if (!own_.observations.empty())
      words += "--observations " + shell_word(own_.observations) + " ";
    for (const std::string& method : own_.campaign.check.nondeterministic)
      words += "--allow-nondeterminism " + shell_word(method) + " ";
    const QuasiOptions& quasi = own_.campaign.check.by.quasi;
    for (const QuasiSet& set : quasi.sets)
      words +=
          "--quasi " + shell_word(quasi::words(set)) + " --relaxation " + quasi.relaxation + " ";
    return words;
  }

  lineup::CheckSettings with_preemptions(int n) const {
    lineup::CheckSettings settings = own_.campaign.check;
    settings.preemptions = n;
    settings.serial_first = begins_serially(object_, own_, settings_);
    return settings;
  }

  Watch& watch_;
  const Settings& settings_;
  const ObjectSettings& own_;
  ObjectSave& save_;
  const lineup::Object& object_;
  std::string name_, source_;
  const std::function<std::string(const std::string&)>& again_;
  ObjectRunner runner_;
  CampaignResult campaign_;
  bool has_cycle_ = false;
  Report cycle_;                          // the first, if it could be shown
  std::optional<Regression> regression_;  // of the first failure
  double seconds_ = 0;
  Tested tested_;
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
                                  (o.traits & plumb_operation::returns_bool) != 0});
  }
  return result;
}

Tested test_object(Watch& watch, const Settings& settings, const ObjectSettings& object_settings,
                   ObjectSave& save, const lineup::Object& object, const std::string& name,
                   const std::string& source,
                   const std::function<std::string(const std::string&)>& again) {
  return ObjectTester(watch, settings, object_settings, save, object, name, source, again).run();
}

}  // namespace plumb::session
