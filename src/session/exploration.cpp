// SPDX-License-Identifier: MIT
#include "session/exploration.hpp"

#include <set>
#include <string_view>
#include <utility>

#include "report/json.hpp"
#include "report/text.hpp"
#include "session/collect.hpp"
#include "session/findings.hpp"
#include "session/identity.hpp"
#include "session/object_test.hpp"
#include "session/program.hpp"
#include "session/reference.hpp"
#include "session/regression.hpp"
#include "session/watch.hpp"

namespace plumb::session {
namespace {

plumb_exploration* answer(const Error& error) {
  return session::answer(exit_status(error.kind), error.to_string());
}

plumb_exploration* collected(const Settings& settings, const Caller& caller,
                             const std::string& group, std::uint64_t executions,
                             report::Report report, const std::vector<report::Case>& cases = {}) {
  report.program = caller.source;
  Collected files = collect(settings, group, report, cases);
  return new plumb_exploration{.status = to_int(exit_status(report)),
                               .executions = executions,
                               .text = report::text_report(report, {}),
                               .json = report::json_report(report),
                               .trouble = std::move(files.trouble),
                               .printed = std::move(files.printed)};
}

// Two operations of one text could not be distinguished in a test.
std::string called_twice(const lineup::Object& object) {
  std::set<std::string> texts;
  for (const lineup::Invocation& it : object.invocations) {
    if (!texts.insert(it.text).second)
      return "two operations of " + object.name + " are called '" + it.text +
             "': give their methods different names";
  }
  return {};
}

// What was asked about an object, understood.
struct ObjectQuestion {
  lineup::Object object;
  ObjectSettings settings;
  std::string source;  // the file in which the test is written
};

Status understand(const plumb_object& table, const Settings& settings, const Caller& caller,
                  ObjectQuestion& question) {
  ObjectSettings& own = question.settings;
  own.has_own_main = caller.has_own_main;
  if (std::string wrong = read_object_settings(settings, own); !wrong.empty())
    return Error{ErrorKind::usage, wrong};
  // Relaxed, a reference is a specification, which can return to a state; otherwise it is run.
  lineup::BySpecification& by = own.campaign.check.by;
  if (by.is_relaxed()) by.specification = static_cast<const Specification*>(table.specification);
  if (std::string wrong = bind(settings, own, question.object); !wrong.empty())
    return Error{ErrorKind::usage, wrong};
  if (!question.object.reference.empty()) {
    const std::string lacks = what_reference_lacks(table, settings, own);
    if (!lacks.empty()) return Error{ErrorKind::bad_input, lacks, {}, own_name()};
  }
  if (const std::string twice = called_twice(question.object); !twice.empty())
    return Error{ErrorKind::bad_input, twice, {}, own_name()};
  if (const std::string wrong = why_not_written(settings.regression); !wrong.empty())
    return Error{ErrorKind::usage, wrong};
  question.source = source_of(table, own_name());
  if (!settings.regression.empty() && !own.has_own_main)
    return Error{ErrorKind::usage, "--regression is for a program of its own",
                 "the report of a failure has the options to paste"};
  if (!settings.regression.empty() && question.source.empty())
    return Error{ErrorKind::usage, "--regression: the source of this program does not exist"};
  if (!settings.replay.empty() || !settings.first.empty()) own.campaign.shrink = false;
  return {};
}

// Tests are kept one by one, not the search of the one that is running.
Status open_save(ObjectSave& save, const std::string& file, const Settings& settings,
                 const Caller& caller, const lineup::Object& object) {
  if (file.empty()) return {};
  const std::uint64_t identity =
      object_identity_of(settings, caller.test, caller.number, caller.arguments);
  return save.open(file, identity, object);
}

plumb_exploration* test_object(const Subject& subject, Settings& settings, const Caller& caller,
                               const std::shared_ptr<const Suppressions>& suppressions) {
  ObjectQuestion question{object_of(*subject.object), {}, {}};
  if (const Status understood = understand(*subject.object, settings, caller, question);
      !understood)
    return answer(understood.error());
  ObjectSave save;
  const std::string file = std::exchange(settings.save, "");
  if (const Status opened = open_save(save, file, settings, caller, question.object); !opened)
    return answer(opened.error());
  Watch watch(settings);
  watch.on_progress = caller.progress;
  watch.suppress(suppressions);
  if (const Status opened = watch.open(caller.test, caller.number, caller.arguments); !opened)
    return answer(opened.error());
  const TestedProgram program{caller.test.empty() ? own_name() : caller.test, question.source,
                              caller.again};
  Tested tested =
      session::test_object(watch, settings, question.settings, save, question.object, program);
  const std::uint64_t executions = tested.report.campaign()->counts.executions;
  return collected(settings, caller, question.object.name, executions, std::move(tested.report),
                   tested.cases);
}

}  // namespace

plumb_exploration* answer(ExitStatus status, const std::string& text) {
  auto* const result = new plumb_exploration;
  result->status = to_int(status);
  result->text = text + "\n";
  return result;
}

plumb_exploration* explore(const Subject& subject, Settings& settings, const Caller& caller) {
  if (const std::string wrong = check_settings(settings, subject.object != nullptr); !wrong.empty())
    return answer(ExitStatus::usage, wrong);
  for (const std::string& file : {settings.html, settings.junit, settings.markdown}) {
    if (file == "-") continue;
    if (const std::string wrong = why_not_written(file); !wrong.empty())
      return answer(ExitStatus::usage, wrong);
  }
  std::shared_ptr<const Suppressions> suppressions;
  if (!settings.suppressions.empty()) {
    auto read = Suppressions::read(settings.suppressions);
    if (!read.ok()) return answer(read.error());
    suppressions = *std::move(read);
  }
  if (subject.object != nullptr) return test_object(subject, settings, caller, suppressions);
  const std::string name = caller.test.empty() ? own_name() : caller.test;
  Watch watch(settings);
  watch.on_progress = caller.progress;
  watch.suppress(suppressions);
  if (const Status opened = watch.open(caller.test, caller.number, caller.arguments); !opened)
    return answer(opened.error());
  const ExplorationResult outcome = watch.explore();
  report::Report report = exploration_report(outcome, settings, watch.board(), caller.again, name);
  report.suppressions = watch.count_suppressed(outcome.suppressed);
  return collected(settings, caller, "plumb test", outcome.executions, std::move(report));
}

}  // namespace plumb::session
