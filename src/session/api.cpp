// SPDX-License-Identifier: MIT
// The functions behind include/plumb/explore.hpp.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "plumb/explore_abi.hpp"
#include "runtime/execution.hpp"
#include "session/help.hpp"
#include "session/narrate.hpp"
#include "session/settings.hpp"
#include "session/shell.hpp"
#include "session/watch.hpp"

#define PLUMB_EXPORT __attribute__((visibility("default")))

struct plumb_exploration {
  int status = 70;
  std::uint64_t executions = 0;
  std::string text, json;
};

namespace {

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

// A program that plumb test was given and that explores nothing must not look like one in which
// nothing was found.
void check_that_it_explored(int status, void*) {
  if (explored || status != 0) return;
  std::fflush(nullptr);
  print_error(own_name() +
              ": the program ended without exploring anything (its main() has to call "
              "plumb::explore_main or plumb::explore, see docs/test.md)");
  _exit(65);
}

__attribute__((constructor)) void check_at_exit() {
  if (command_of_plumb() != nullptr && !is_child()) on_exit(&check_that_it_explored, nullptr);
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
    plumb::runtime::execution.fail(plumb::runtime::FindingKind::kMisuse,
                                   "plumb::explore is called while it explores");
  }
}

using Again = std::function<std::string(const std::string& options)>;

plumb_exploration* explore(const Settings& settings, const std::string& test, int number,
                           const std::vector<std::string>& arguments, const Again& again) {
  const std::string name = test.empty() ? own_name() : test;
  Watch watch(settings);
  if (const Trouble trouble = watch.open(test, number, arguments); trouble.status != 0)
    return answer(trouble.status, trouble.text);
  const Outcome outcome = watch.explore();
  const Report report = narrate(outcome, settings, watch.board(), again, name);
  auto* const result = new plumb_exploration;
  result->status = outcome.status;
  result->executions = outcome.executions;
  result->text = report.text;
  result->json = report.json;
  return result;
}

}  // namespace

extern "C" {

// The program has its own command line, so that a replay is asked for by variables of the
// environment.
PLUMB_EXPORT plumb_exploration* plumb_explore(void (*body)(void*), void* argument,
                                              const char* options, const char* test) {
  explored = true;
  refuse_inside();
  const std::string in = test == nullptr ? "" : test;
  if (is_child()) return in_child({body, argument}, in);
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
  Settings settings;
  const auto words = shell_words(options);
  if (!words) return answer(64, "a quote is not closed: " + std::string(options));
  if (const std::string wrong = parse(*words, settings); !wrong.empty()) return answer(64, wrong);
  if (const char* const replay = std::getenv("PLUMB_REPLAY")) {
    if (number != call_meant()) return answer(0, "not explored: another call is replayed");
    settings.save.clear();
    settings.jobs = 1;
    const auto more = shell_words(replay);
    const std::string wrong = more ? parse(*more, settings) : "a quote is not closed";
    if (!wrong.empty() || settings.replay.empty())
      return answer(64, "PLUMB_REPLAY: " + (wrong.empty() ? "has no --replay" : wrong));
  }
  return explore(settings, in, number, arguments, again);
}

PLUMB_EXPORT int plumb_explore_main(int argc, char** argv, void (*body)(void*), void* argument) {
  explored = true;
  refuse_inside();
  if (is_child()) {
    delete in_child({body, argument}, "");
    return 0;
  }
  Settings settings;
  std::vector<std::string> words;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--help") == 0) {
      std::printf("usage: %s [options]\n\n%s", argv[0], kHelp);
      return 0;
    }
    words.emplace_back(argv[i]);
  }
  if (const std::string wrong = parse(words, settings); !wrong.empty()) {
    print_error(command_of_plumb() != nullptr ? wrong + " (see plumb test --help)"
                                              : own_name() + ": " + wrong + " (see --help)");
    return 64;
  }
  const Again again = [](const std::string& options) { return own_command() + " " + options; };
  plumb_exploration* const result = explore(settings, "", next_call(""), {}, again);
  const int status = result->status;
  std::string& text = result->text;
  if (settings.quiet) text.resize(text.find('\n') + 1);
  if (status >= 64 && status <= 70) {
    text.resize(text.find_last_not_of('\n') + 1);
    print_error(text);
  } else {
    std::fputs(settings.json ? (result->json + "\n").c_str() : text.c_str(), stdout);
  }
  delete result;
  return status;
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
    execution.fail(plumb::runtime::FindingKind::kMisuse,
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
      execution.fail(plumb::runtime::FindingKind::kMisuse,
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
