// SPDX-License-Identifier: MIT
// The functions behind include/plumb/explore.hpp and test.hpp.
#include <cstdlib>
#include <span>
#include <string>
#include <vector>

#include "base/shell.hpp"
#include "plumb/explore_abi.hpp"
#include "plumb/test_abi.hpp"
#include "runtime/object_body.hpp"
#include "runtime/schedule/execution.hpp"
#include "session/closing.hpp"
#include "session/command_line.hpp"
#include "session/exploration.hpp"
#include "session/process.hpp"
#include "session/program.hpp"
#include "session/user_options.hpp"

#define PLUMB_EXPORT __attribute__((visibility("default")))

namespace {

using namespace plumb;
using namespace plumb::session;

void* run_subject(void* subject) {
  const auto* const what = static_cast<const Subject*>(subject);
  what->body(what->argument);
  return nullptr;
}

// Does not return in the process that is to run the body.
plumb_exploration* in_child(Subject subject, const std::string& test) {
  run_if_child(test, &run_subject, &subject);
  return answer(ExitStatus::holds, "not explored: another call is meant");
}

void refuse_inside() {
  if (plumb::runtime::inside()) {
    plumb::runtime::execution.fail(plumb::FindingKind::misuse,
                                   "plumb::explore is called while it explores");
  }
}

// plumb_add_options: as they were written. They are parsed where an error can be reported.
std::vector<std::string>& added_options() {
  static std::vector<std::string> texts;
  return texts;
}

void run_tests(void* object) {
  plumb::runtime::run_object(*static_cast<const plumb_object*>(object));
}

Subject subject_of(const plumb_object* object) {
  return {&run_tests, const_cast<plumb_object*>(object), object};
}

// Of the code, and of a regression.
std::string add_own_options(UserOptions& user, std::span<const plumb_option> options) {
  std::string wrong = user.add(options);
  for (const std::string& text : added_options())
    if (wrong.empty()) wrong = user.add_text(text);
  return wrong;
}

// The program has another command line, so it is called with the same arguments again.
std::vector<std::string> arguments_of_program() {
  std::vector<std::string> arguments = own_arguments();
  if (!arguments.empty()) arguments.erase(arguments.begin());
  std::erase_if(arguments, [](const std::string& word) {
    return word.starts_with("--gtest_") && word != "--gtest_also_run_disabled_tests";
  });
  return arguments;
}

// A replay is asked for by variables of the environment.
plumb_exploration* explore_here(const Subject& subject, std::span<const plumb_option> options,
                                const char* test) {
  note_exploration();
  refuse_inside();
  Caller caller;
  caller.test = test == nullptr ? "" : test;
  if (is_child()) return in_child(subject, caller.test);
  caller.number = next_call(caller.test);
  caller.arguments = arguments_of_program();
  caller.has_own_main = false;
  caller.source = own_source();
  caller.source.call = caller.number;
  caller.source.arguments = caller.arguments;
  if (!caller.test.empty()) caller.source.arguments.push_back("--gtest_filter=" + caller.test);
  std::string command = own_command();
  for (const std::string& word : caller.source.arguments) command += " " + shell_word(word);
  caller.again = [command, number = caller.number](const std::string& replay) {
    const std::string call = number > 1 ? "PLUMB_CALL=" + std::to_string(number) + " " : "";
    return replay_by(call + "PLUMB_REPLAY=" + shell_word(replay) + " " + command, replay);
  };
  UserOptions user(subject.object != nullptr);
  if (const std::string wrong = add_own_options(user, options); !wrong.empty())
    return answer(ExitStatus::usage, wrong);
  if (const char* const replay = std::getenv("PLUMB_REPLAY")) {
    if (caller.number != call_meant())
      return answer(ExitStatus::holds, "not explored: another call is replayed");
    note_replay();
    user.settings.save.clear();
    user.settings.jobs = 1;
    const std::string wrong = user.add_text(replay);
    if (!wrong.empty() || user.settings.replay.empty())
      return answer(ExitStatus::usage,
                    "PLUMB_REPLAY: " + (wrong.empty() ? "has no --replay" : wrong));
  }
  plumb_exploration* const result = session::explore(subject, user.settings, caller);
  print_trouble(*result);
  result->status = print_files(*result);
  return result;
}

// Does not return: see leave().
int explore_as_main(const Subject& subject, int argc, char** argv,
                    std::span<const plumb_option> options) {
  note_exploration();
  refuse_inside();
  if (is_child()) {
    delete in_child(subject, "");
    return to_int(ExitStatus::holds);
  }
  UserOptions user(subject.object != nullptr);
  const std::string wrong = add_own_options(user, options);
  leave(run_command_line(subject, {argv, argv + argc}, user, wrong));
}

// Text that a user wrote.
plumb_option words(const char* text) {
  return {.name = nullptr, .kind = plumb_option::words, .text = text};
}

}  // namespace

extern "C" {

PLUMB_EXPORT plumb_exploration* plumb_explore(void (*body)(void*), void* argument,
                                              const char* options, const char* test) {
  const plumb_option option = words(options);
  return explore_here({body, argument}, {&option, 1}, test);
}
PLUMB_EXPORT int plumb_explore_main(int argc, char** argv, void (*body)(void*), void* argument) {
  return explore_as_main({body, argument}, argc, argv, {});
}
PLUMB_EXPORT plumb_exploration* plumb_test_object(const plumb_object* object,
                                                  const plumb_option* options, int count,
                                                  const char* test) {
  return explore_here(subject_of(object), {options, static_cast<std::size_t>(count)}, test);
}
PLUMB_EXPORT int plumb_test_object_main(int argc, char** argv, const plumb_object* object,
                                        const plumb_option* options, int count) {
  return explore_as_main(subject_of(object), argc, argv,
                         {options, static_cast<std::size_t>(count)});
}

PLUMB_EXPORT void plumb_add_options(const char* options) { added_options().push_back(options); }

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
    execution.block_until({}, &execution, plumb::WaitsFor::nothing_ever, false, false,
                          __builtin_return_address(0));
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
    execution.fail(plumb::FindingKind::misuse, "more threads than the explorer can run (32)");
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
      execution.fail(plumb::FindingKind::misuse, "more threads than the explorer can run (32)");
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
