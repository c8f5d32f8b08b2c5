// SPDX-License-Identifier: MIT
// The functions behind include/plumb/explore.hpp.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "plumb/explore_abi.hpp"
#include "runtime/execution.hpp"
#include "session/help.hpp"
#include "session/narrate.hpp"
#include "session/settings.hpp"
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

// How the user started this.
std::string own_command() {
  if (const char* given = std::getenv("PLUMB_PROGRAM")) return given;
  char path[4096];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
  return length < 0 ? "PROGRAM" : std::string(path, static_cast<std::size_t>(length));
}

std::string own_name() {
  if (const char* given = std::getenv("PLUMB_NAME")) return given;
  const std::string command = own_command();
  return command.substr(command.find_last_of('/') + 1);
}

plumb_exploration* explore(Call call, const Settings& settings, const char* test) {
  auto* const result = new plumb_exploration;
  if (is_child()) {
    run_if_child(test == nullptr ? "" : test, &run_call, &call);
    result->status = 0;  // another call is meant: this one was seen to before
    return result;
  }
  Watch watch(settings);
  const std::string error = watch.open(test);
  if (!error.empty()) {
    result->text = error + "\n";
    return result;
  }
  const Outcome outcome = watch.explore();
  const Report report = narrate(outcome, settings, watch.board(), own_command(), own_name());
  result->status = outcome.status;
  result->executions = outcome.executions;
  result->text = report.text;
  result->json = report.json;
  return result;
}

}  // namespace

extern "C" {

PLUMB_EXPORT plumb_exploration* plumb_explore(void (*body)(void*), void* argument,
                                              const char* options, const char* test) {
  Settings settings;
  const std::string wrong = parse(words_of(options), settings);
  if (!wrong.empty()) {
    auto* const result = new plumb_exploration;
    result->status = 64;
    result->text = wrong + "\n";
    return result;
  }
  return explore({body, argument}, settings, test);
}

PLUMB_EXPORT int plumb_explore_main(int argc, char** argv, void (*body)(void*), void* argument) {
  Settings settings;
  std::vector<std::string> words;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--help") == 0) {
      std::printf("usage: %s [options]\n\n%s", argv[0], kHelp);
      return 0;
    }
    words.emplace_back(argv[i]);
  }
  const std::string wrong = parse(words, settings);
  if (!wrong.empty()) {
    std::fprintf(stderr, "%s: %s\n", argv[0], wrong.c_str());
    return 64;
  }
  plumb_exploration* const result = explore({body, argument}, settings, nullptr);
  if (settings.json) std::printf("%s\n", result->json.c_str());
  else if (result->status >= 64) std::fputs(result->text.c_str(), stderr);
  else std::fputs(result->text.c_str(), stdout);
  const int status = result->status;
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
