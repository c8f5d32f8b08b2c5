// SPDX-License-Identifier: MIT
// The functions behind include/plumb/explore.hpp.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "base/shell.hpp"
#include "plumb/explore_abi.hpp"
#include "plumb/test_abi.hpp"
#include "report/colour.hpp"
#include "report/json.hpp"
#include "report/text.hpp"
#include "runtime/object_body.hpp"
#include "runtime/schedule/execution.hpp"
#include "session/collect.hpp"
#include "session/findings.hpp"
#include "session/help.hpp"
#include "session/identity.hpp"
#include "session/object_test.hpp"
#include "session/reference.hpp"
#include "session/regression.hpp"
#include "session/settings.hpp"
#include "session/watch.hpp"

#define PLUMB_EXPORT __attribute__((visibility("default")))

struct plumb_exploration {
  int status = 70;
  std::uint64_t executions = 0;
  std::string text, json;
};

namespace {

using namespace plumb;
using namespace plumb::session;

struct Call {
  void (*body)(void*);
  void* argument;
};

void* run_call(void* call) {
  static_cast<Call*>(call)->body(static_cast<Call*>(call)->argument);
  return nullptr;
}

std::string own_path() {
  char path[4096];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
  return length < 0 ? "PROGRAM" : std::string(path, static_cast<std::size_t>(length));
}

// plumb test says how it was called, as a shell would read it, and with which file.
const char* command_of_plumb() { return std::getenv("PLUMB_PROGRAM"); }

std::string own_command() {
  const char* const given = command_of_plumb();
  return given != nullptr ? given : shell_word(own_path());
}

std::string own_name() {
  if (const char* given = std::getenv("PLUMB_NAME")) return given;
  const std::string path = own_path();
  return path.substr(path.find_last_of('/') + 1);
}

void print_error(const std::string& text) {
  std::fprintf(stderr, "%s%s\n", command_of_plumb() != nullptr ? "plumb: " : "", text.c_str());
}

bool explored = false;
bool lacks_replay = false;  // PLUMB_REPLAY is about a call that has not come

// A program that plumb test was given and that explores nothing must not look like one in which
// nothing was found.
void check_that_it_explored(int status, void*) {
  if (status != 0) return;
  std::fflush(nullptr);
  if (lacks_replay) {
    print_error("PLUMB_REPLAY: there is no such call (PLUMB_CALL says which of its test)");
    _exit(64);
  }
  if (explored || command_of_plumb() == nullptr) return;
  print_error(own_name() +
              ": the program ended without exploring anything (its main() has to call "
              "plumb::explore_main or plumb::explore, see docs/test.md)");
  _exit(65);
}

__attribute__((constructor)) void check_at_exit() {
  if (is_child()) return;
  lacks_replay = std::getenv("PLUMB_REPLAY") != nullptr;
  if (command_of_plumb() != nullptr || lacks_replay) on_exit(&check_that_it_explored, nullptr);
}

plumb_exploration* answer(int status, const std::string& text) {
  auto* const result = new plumb_exploration;
  result->status = status;
  result->text = text + "\n";
  return result;
}

// Does not return in the process that is to run the body.
plumb_exploration* in_child(Call call, const std::string& test) {
  run_if_child(test, &run_call, &call);
  return answer(0, "not explored: another call is meant");
}

void refuse_inside() {
  if (plumb::runtime::inside()) {
    plumb::runtime::execution.fail(plumb::runtime::FindingKind::misuse,
                                   "plumb::explore is called while it explores");
  }
}

using Again = ReplayCommand;

// plumb_add_options
std::vector<std::string>& added_words() {
  static std::vector<std::string> words;
  return words;
}

// What is run: a body, or tests of an object.
struct Subject {
  Call call;
  const plumb_object* object = nullptr;  // null: just the body
};

void run_tests(void* object) {
  plumb::runtime::run_object(*static_cast<const plumb_object*>(object));
}

Subject subject_of(const plumb_object* object) {
  return {{&run_tests, const_cast<plumb_object*>(object)}, object};
}

// All that was said about it.
struct Asked {
  Settings settings;
  ObjectSettings object_settings;
};

// Empty: understood. Called again, with what comes later and counts more: a test that it names is
// run instead of those before.
std::string understand(const Subject& subject, std::vector<std::string> words, Asked& asked) {
  if (subject.object != nullptr) {
    std::vector<std::string>& tests = asked.object_settings.tests;
    const std::vector<std::string> before = std::exchange(tests, {});
    if (std::string wrong = parse_object(words, asked.object_settings); !wrong.empty())
      return wrong;
    if (tests.empty()) tests = before;
  }
  std::string wrong = parse(words, asked.settings);
  asked.object_settings.campaign.seed = asked.settings.seed;
  return wrong;
}

plumb_exploration* finish(const Settings& settings, const std::string& group,
                          std::uint64_t executions, const report::Report& report,
                          const std::vector<report::Case>& cases = {}) {
  // What was found is not lost for that.
  if (const std::string wrong = collect(settings, group, report, cases); !wrong.empty())
    print_error(wrong);
  return new plumb_exploration{static_cast<int>(exit_status(report)), executions,
                               report::text_report(report, {}), report::json_report(report)};
}

// How far a test of an object is, on standard error.
report::ProgressSink progress_sink(const Settings& settings) {
  if (isatty(STDERR_FILENO) == 0 || settings.quiet || settings.json) return {};
  return [](std::string_view text) {
    std::fwrite(text.data(), 1, text.size(), stderr);
    std::fflush(stderr);
  };
}

// Two that are called alike can not be told apart in a test's text.
std::string called_twice(const plumb::lineup::Object& object) {
  std::set<std::string> texts;
  for (const plumb::lineup::Invocation& it : object.invocations) {
    if (!texts.insert(it.text).second)
      return "two operations of " + object.name + " are called '" + it.text +
             "': give their methods different names";
  }
  return {};
}

plumb_exploration* test_object(const Subject& subject, Asked& asked, const std::string& test,
                               int number, const std::vector<std::string>& arguments,
                               const Again& again) {
  plumb::lineup::Object object = object_of(*subject.object);
  ObjectSettings& own = asked.object_settings;
  // Relaxed, it is a specification, which can go back to a state; otherwise it is run.
  plumb::lineup::BySpecification& by = own.campaign.check.by;
  if (by.is_relaxed())
    by.specification = static_cast<const plumb::Specification*>(subject.object->specification);
  if (const std::string wrong = bind(own, object); !wrong.empty()) return answer(64, wrong);
  if (!object.reference.empty()) {
    const std::string lacks = what_reference_lacks(*subject.object, own);
    if (!lacks.empty()) return answer(65, own_name() + ": " + lacks);
  }
  if (const std::string twice = called_twice(object); !twice.empty())
    return answer(65, own_name() + ": " + twice);
  if (const std::string wrong = why_not_written(own.regression); !wrong.empty())
    return answer(64, wrong);
  const std::string source = source_of(*subject.object, own_name());
  if (!own.regression.empty() && (source.empty() || !own.has_own_main)) {
    return answer(64, own.has_own_main
                          ? "--regression: the source of this program is not there"
                          : "--regression: is for a program of its own; the report of what fails "
                            "has the options to paste");
  }
  if (!asked.settings.replay.empty() && own.campaign.given.size() != 1)
    return answer(64, "--replay: is about one test; say which, by --test");
  if (!asked.settings.replay.empty() || !own.first.empty()) own.campaign.shrink = false;
  // Tests are kept one by one, not the search of the one that is running.
  ObjectSave save;
  if (const std::string file = std::exchange(asked.settings.save, ""); !file.empty()) {
    std::vector<std::string> all = arguments;
    all.insert(all.end(), own.words.begin(), own.words.end());
    if (asked.settings.max_executions_given)
      all.push_back(std::to_string(asked.settings.max_executions));
    const std::uint64_t identity = identity_of(asked.settings, test, number, all);
    if (const Trouble trouble = save.open(file, identity, object); trouble.status != 0)
      return answer(trouble.status, trouble.text);
  }
  Watch watch(asked.settings);
  if (const Trouble trouble = watch.open(test, number, arguments); trouble.status != 0)
    return answer(trouble.status, trouble.text);
  const TestedProgram program{test.empty() ? own_name() : test, source, again,
                              progress_sink(asked.settings)};
  const Tested tested = plumb::session::test_object(watch, asked.settings, asked.object_settings,
                                                    save, object, program);
  return finish(asked.settings, object.name, tested.report.campaign()->counts.executions,
                tested.report, tested.cases);
}

plumb_exploration* explore(const Subject& subject, Asked& asked, const std::string& test,
                           int number, const std::vector<std::string>& arguments,
                           const Again& again) {
  const Settings& settings = asked.settings;
  for (const std::string& file : {settings.html, settings.junit, settings.markdown}) {
    if (const std::string wrong = why_not_written(file); !wrong.empty()) return answer(64, wrong);
  }
  if (subject.object != nullptr) return test_object(subject, asked, test, number, arguments, again);
  const std::string name = test.empty() ? own_name() : test;
  Watch watch(settings);
  if (const Trouble trouble = watch.open(test, number, arguments); trouble.status != 0)
    return answer(trouble.status, trouble.text);
  const Outcome outcome = watch.explore();
  return finish(settings, "plumb test", outcome.executions,
                exploration_report(outcome, settings, watch.board(), again, name));
}

// The program has its own command line, so that a replay is asked for by variables of the
// environment.
plumb_exploration* explore_here(const Subject& subject, const char* options, const char* test) {
  explored = true;
  refuse_inside();
  const std::string in = test == nullptr ? "" : test;
  if (is_child()) return in_child(subject.call, in);
  const int number = next_call(in);
  std::string command = own_command();
  std::vector<std::string> arguments = own_arguments();
  if (!arguments.empty()) arguments.erase(arguments.begin());
  std::erase_if(arguments, [](const std::string& word) {
    return word.starts_with("--gtest_") && word != "--gtest_also_run_disabled_tests";
  });
  for (const std::string& word : arguments) command += " " + shell_word(word);
  if (!in.empty()) command += " " + shell_word("--gtest_filter=" + in);
  const Again again = [&command, number](const std::string& replay) {
    const std::string call = number > 1 ? "PLUMB_CALL=" + std::to_string(number) + " " : "";
    return call + "PLUMB_REPLAY=" + shell_word(replay) + " " + command;
  };
  Asked asked;
  asked.object_settings.has_own_main = false;
  Settings& settings = asked.settings;
  const auto words = shell_words(options);
  if (!words) return answer(64, "a quote is not closed: " + std::string(options));
  std::string not_understood = understand(subject, *words, asked);
  if (not_understood.empty()) not_understood = understand(subject, added_words(), asked);
  if (!not_understood.empty()) return answer(64, not_understood);
  if (const char* const replay = std::getenv("PLUMB_REPLAY")) {
    if (number != call_meant()) return answer(0, "not explored: another call is replayed");
    lacks_replay = false;
    settings.save.clear();
    settings.jobs = 1;
    const auto more = shell_words(replay);
    const std::string wrong = more ? understand(subject, *more, asked) : "a quote is not closed";
    if (!wrong.empty() || settings.replay.empty())
      return answer(64, "PLUMB_REPLAY: " + (wrong.empty() ? "has no --replay" : wrong));
  }
  return explore(subject, asked, in, number, arguments, again);
}

int explore_as_main(const Subject& subject, int argc, char** argv, const char* options) {
  explored = true;
  refuse_inside();
  if (is_child()) {
    delete in_child(subject.call, "");
    return 0;
  }
  Asked asked;
  Settings& settings = asked.settings;
  std::vector<std::string> words;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--help") == 0) {
      std::printf("usage: %s [options]\n\n%s%s", argv[0],
                  subject.object != nullptr ? kObjectHelp : "", kHelp);
      return 0;
    }
    words.emplace_back(argv[i]);
  }
  std::string wrong;
  for (const auto& some :
       {shell_words(options).value_or(std::vector<std::string>()), added_words(), words}) {
    if (wrong.empty()) wrong = understand(subject, some, asked);
  }
  if (!wrong.empty()) {
    print_error(command_of_plumb() != nullptr ? wrong + " (see plumb test --help)"
                                              : own_name() + ": " + wrong + " (see --help)");
    return 64;
  }
  const Again again = [](const std::string& options) { return own_command() + " " + options; };
  plumb_exploration* const result = explore(subject, asked, "", next_call(""), {}, again);
  const int status = result->status;
  std::string& text = result->text;
  if (settings.quiet) text.resize(text.find('\n') + 1);
  if (status >= 64 && status <= 70) {
    text.resize(text.find_last_not_of('\n') + 1);
    print_error(text);
  } else {
    if (plumb::report::wants_colour(settings.color, isatty(STDOUT_FILENO) != 0))
      text = plumb::report::coloured(text);
    std::fputs(settings.json ? (result->json + "\n").c_str() : text.c_str(), stdout);
  }
  delete result;
  return status;
}

}  // namespace

extern "C" {

PLUMB_EXPORT plumb_exploration* plumb_explore(void (*body)(void*), void* argument,
                                              const char* options, const char* test) {
  return explore_here({{body, argument}}, options, test);
}
PLUMB_EXPORT int plumb_explore_main(int argc, char** argv, void (*body)(void*), void* argument) {
  return explore_as_main({{body, argument}}, argc, argv, "");
}
PLUMB_EXPORT plumb_exploration* plumb_test(const plumb_object* object, const char* options,
                                           const char* test) {
  return explore_here(subject_of(object), options, test);
}
PLUMB_EXPORT int plumb_test_main(int argc, char** argv, const plumb_object* object,
                                 const char* options) {
  return explore_as_main(subject_of(object), argc, argv, options);
}

PLUMB_EXPORT void plumb_add_options(const char* options) {
  for (const std::string& word : shell_words(options).value_or(std::vector<std::string>()))
    added_words().push_back(word);
}

PLUMB_EXPORT int plumb_exploration_status(const plumb_exploration* e) { return e->status; }
PLUMB_EXPORT const char* plumb_exploration_text(const plumb_exploration* e) {
  return e->text.c_str();
}
PLUMB_EXPORT const char* plumb_exploration_json(const plumb_exploration* e) {
  return e->json.c_str();
}
PLUMB_EXPORT std::uint64_t plumb_exploration_executions(const plumb_exploration* e) {
  return e->executions;
}
PLUMB_EXPORT void plumb_exploration_free(plumb_exploration* e) { delete e; }

PLUMB_EXPORT int plumb_choose(int count) {
  return plumb::runtime::inside() ? plumb::runtime::execution.choose(count, 0) : 0;
}

PLUMB_EXPORT void plumb_block() {
  using plumb::runtime::execution;
  // For a change that never comes.
  if (plumb::runtime::inside())
    execution.block_until({}, &execution, 0, false, false, __builtin_return_address(0));
}

PLUMB_EXPORT void plumb_parallel(int count, void (*function)(int, void*), void* argument) {
  using plumb::runtime::execution;
  if (!plumb::runtime::inside()) {
    for (int i = 0; i < count; ++i) function(i, argument);
    return;
  }
  struct Work {
    void (*function)(int, void*);
    void* argument;
    int number;
  };
  Work work[plumb::runtime::kMaxThreads];
  int living = count;
  if (count > plumb::runtime::kMaxThreads) {
    execution.fail(plumb::runtime::FindingKind::misuse,
                   "more threads than the explorer can run (32)");
  }
  for (int i = 0; i < count; ++i) {
    work[i] = {function, argument, i};
    const int made = execution.make_thread(
        [](void* w) -> void* {
          static_cast<Work*>(w)->function(static_cast<Work*>(w)->number,
                                          static_cast<Work*>(w)->argument);
          return nullptr;
        },
        &work[i], &living);
    if (made < 0) {
      execution.fail(plumb::runtime::FindingKind::misuse,
                     "more threads than the explorer can run (32)");
    }
  }
  execution.join_group(&living, __builtin_return_address(0));
}

PLUMB_EXPORT void plumb_call(int operation) {
  if (plumb::runtime::inside())
    plumb::runtime::execution.call(static_cast<std::uint16_t>(operation));
}

PLUMB_EXPORT void plumb_return(std::uint64_t value) {
  if (plumb::runtime::inside()) plumb::runtime::execution.returned(value);
}
}
