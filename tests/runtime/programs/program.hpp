// SPDX-License-Identifier: MIT
// A program under test: functions that are explored, each with what must come out.
//
//   PLUMB_HOLDS(counter) { ... }
//   PLUMB_FINDS("deadlock", lock_order) { ... }
//
// Without arguments it explores all of them; with names, those. It exits with 0 if everything came
// out as it must.
#pragma once

#include <plumb/explore.hpp>

// Also where assertions are off.
#undef NDEBUG
#include <cassert>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

namespace program {

struct Case {
  const char* name;
  const char* finding;  // or why it is undecided; null: nothing may be found
  const char* options;
  void (*body)();
  int status = finding == nullptr ? 0 : 1;
};

inline std::vector<Case>& cases() {
  static std::vector<Case> all;
  return all;
}

struct Register {
  explicit Register(const Case& c) { cases().push_back(c); }
};

// All with up to two preemptions; what depends on more says so.
inline constexpr char kBounded[] = "--strategy dfs --preemptions 2 --heap quarantine";

inline int run(int argc, char** argv) {
  std::string failures;
  int explored = 0;
  for (const Case& c : cases()) {
    bool asked = argc == 1;
    for (int i = 1; i < argc; ++i) asked = asked || std::string_view(argv[i]) == c.name;
    if (!asked) continue;
    ++explored;
    const plumb::Exploration e = plumb::explore(c.body, c.options);
    const bool as_expected = e.status() == c.status &&
                             (c.finding == nullptr || e.json().find('"' + std::string(c.finding) +
                                                                    '"') != std::string::npos);
    std::string line = std::string(as_expected ? "ok     " : "WRONG  ") + c.name + ": " +
                       std::to_string(e.executions()) + " executions\n";
    if (!as_expected) {
      line += "  must " + (c.finding == nullptr ? "hold" : "find " + std::string(c.finding)) +
              "; but:\n" + std::string(e.text()) + '\n';
      failures += c.name;
    }
    std::fputs(line.c_str(), stderr);
  }
  return failures.empty() && explored > 0 ? 0 : 1;
}

}  // namespace program

#define PLUMB_CASE(finding, options, name)                                          \
  static void name();                                                               \
  static const program::Register register_##name({#name, finding, options, &name}); \
  static void name()
#define PLUMB_HOLDS(name) PLUMB_CASE(nullptr, program::kBounded, name)
#define PLUMB_FINDS(finding, name) PLUMB_CASE(finding, program::kBounded, name)
#define PLUMB_UNDECIDED(reason, name)                                                           \
  static void name();                                                                           \
  static const program::Register register_##name({#name, reason, program::kBounded, &name, 2}); \
  static void name()

int main(int argc, char** argv) { return program::run(argc, argv); }
