// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>

#include "cli/run_plumb.hpp"
#include "options/option.hpp"
#include "support/file_contents.hpp"

namespace plumb::test {
namespace {

const std::string kFolder = PLUMB_SOURCE_DIR "/tests/golden";

bool approving() { return std::getenv("PLUMB_APPROVE") != nullptr; }

void compare(const std::string& path, const std::string& actual) {
  if (approving()) std::ofstream(path, std::ios::binary) << actual;
  EXPECT_EQ(file_contents(path), actual) << "PLUMB_APPROVE=1 accepts it as " << path;
}

// What differs from run to run.
std::string normalised(std::string text) {
  text = std::regex_replace(text, std::regex("( ?) *[0-9]+\\.[0-9]+ s\\b"), "$1T s");
  text = std::regex_replace(text, std::regex("( ?) *[0-9.]+ MiB\\b"), "$1M MiB");
  text = std::regex_replace(text, std::regex("(seconds\":)[0-9.e+-]+"), "$010");
  text = std::regex_replace(text, std::regex("(bytes\":)[0-9]+"), "$010");
  return std::regex_replace(text, std::regex("(\"version\":\")[0-9.]+"), "$01V");
}

RunResult run_here(Run run) {
  run.directory = kFolder;
  return run_plumb(run);
}

void expect_golden(const std::string& name, const RunResult& ran, int status, bool json = false) {
  EXPECT_EQ(ran.status, status) << ran.err;
  EXPECT_EQ(ran.err, "");
  compare(kFolder + "/expected/" + name + (json ? ".json" : ".txt"), normalised(ran.out));
}

struct Golden {
  std::string name;
  int status;
};

class Violations : public ::testing::TestWithParam<std::string> {};
TEST_P(Violations, AreToldAsExpected) {
  expect_golden(GetParam(), run_here({.args = {"check", GetParam() + ".jsonl", "--jobs", "1"}}), 1);
}
INSTANTIATE_TEST_SUITE_P(
    Golden, Violations,
    ::testing::Values("array_stale", "bag_pending", "blocking_stack_stuck", "bounded_queue_full",
                      "bounded_stack_empty", "deque_ends", "stealing_twice", "stealing_full",
                      "multimap_lost", "rwlock_reader", "latch_early", "barrier_stuck",
                      "counter_lost", "counter_same", "map_appends", "map_key", "mutex_two",
                      "pqueue_rank", "queue_early", "queue_empty", "queue_fifo", "queue_never",
                      "queue_open", "queue_twice", "register_cas", "register_inversion",
                      "register_opposite", "register_stale", "semaphore_three", "set_both",
                      "set_lost", "stack_lifo", "stuck_counter", "two_objects", "wide"),
    [](const auto& info) { return info.param; });

struct GoldenProperty {
  std::string file, property;
  int status;
};
TEST(Golden, OtherPropertiesOfRegisters) {
  for (const auto& [file, property, status] : {GoldenProperty{"register_stale", "regular", 1},
                                               {"register_inversion", "regular", 0},
                                               {"register_stale", "safe", 1},
                                               {"register_opposite", "sequential", 1},
                                               {"register_stale", "sequential", 0}}) {
    const std::string name = file + "_" + property;
    std::vector<std::string> args = {"check",  file + ".jsonl", "--property",
                                     property, "--jobs",        "1"};
    expect_golden(name, run_here({.args = args}), status);
    args.push_back("--json");
    expect_golden(name, run_here({.args = args}), status, true);
  }
}

TEST(Golden, QuasiLinearizability) {
  struct Asked {
    std::string name;
    std::vector<std::string> options;
    int status;
  };
  for (const auto& [name, options, status] :
       {Asked{"quasi_overtaken", {"--quasi", "deq=2"}, 1},
        Asked{"quasi_distance", {"--quasi", "deq=1"}, 1},
        Asked{"quasi_slot", {"--quasi", "deq=1", "--relaxation", "slot"}, 1},
        Asked{"quasi_least", {"--quasi", "deq", "--min-k"}, 0}}) {
    std::vector<std::string> args = {"check", "../../examples/data/quasi_queue.jsonl"};
    args.insert(args.end(), options.begin(), options.end());
    expect_golden(name, run_here({.args = args}), status);
    args.push_back("--json");
    expect_golden(name, run_here({.args = args}), status, true);
  }
}

TEST(Golden, HoldsIsOneLine) {
  expect_golden("holds", run_here({.args = {"check", "holds.jsonl"}}), 0);
  expect_golden("stuck_holds", run_here({.args = {"check", "stuck_holds.jsonl"}}), 0);
}

// 700 operations one after the other, then two that overlap, the second of them wrong. Long
// histories are cut on the left; that a counter can be set keeps the patterns quiet.
std::string long_history() {
  std::string text = "{\"history\":1,\"object\":\"counter\"}\n";
  for (int i = 0; i < 700; ++i) {
    const std::string process = ",\"process\":" + std::to_string(i % 3);
    text += "{\"type\":\"call\"" + process + ",\"op\":\"set\",\"args\":[" + std::to_string(i) +
            "]}\n{\"type\":\"return\"" + process + ",\"result\":null}\n";
  }
  return text +
         "{\"type\":\"call\",\"process\":0,\"op\":\"inc\",\"args\":[]}\n"
         "{\"type\":\"call\",\"process\":1,\"op\":\"get\",\"args\":[]}\n"
         "{\"type\":\"return\",\"process\":0,\"result\":null}\n"
         "{\"type\":\"return\",\"process\":1,\"result\":701}\n";
}

TEST(Golden, ALongHistoryIsCutOnTheLeft) {
  // A file, since what comes through a pipe and takes its time is decided as a stream.
  const std::string file = write_file("long.jsonl", long_history());
  expect_golden("left_state", run_plumb({.args = {"check", "-"}, .input_file = file}), 1);
  expect_golden("left_state", run_plumb({.args = {"check", "-", "--json"}, .input_file = file}), 1,
                true);
}

TEST(Golden, AnEngineWhosePreconditionFailsIsUndecided) {
  const std::vector<std::string> args = {"check", "-", "--engine", "brute"};
  const std::string file = write_file("long.jsonl", long_history());
  expect_golden("undecided", run_plumb({.args = args, .input_file = file}), 2);
  std::vector<std::string> json = args;
  json.push_back("--json");
  expect_golden("undecided", run_plumb({.args = json, .input_file = file}), 2, true);
}

TEST(Golden, AsciiHasTheSameShape) {
  const RunResult ran = run_here({.args = {"check", "queue_fifo.jsonl", "--ascii"}});
  expect_golden("ascii", ran, 1);
  for (const char c : ran.out) EXPECT_LT(static_cast<unsigned char>(c), 0x80);
}

TEST(Golden, SeveralFilesEndInASummary) {
  const std::vector<std::string> files = {"holds.jsonl", "queue_fifo.jsonl", "stuck_counter.jsonl"};
  std::vector<std::string> args = {"check", "--jobs", "1"};
  args.insert(args.end(), files.begin(), files.end());
  expect_golden("several", run_here({.args = args}), 1);
  args.push_back("--json");
  expect_golden("several", run_here({.args = args}), 1, true);
  args.back() = "--quiet";
  expect_golden("quiet", run_here({.args = args}), 1);
}

TEST(Golden, JsonOfEveryKind) {
  for (const auto& [name, status] :
       {Golden{"holds", 0}, Golden{"stuck_holds", 0}, Golden{"queue_fifo", 1},
        Golden{"map_appends", 1}, Golden{"stuck_counter", 1}, Golden{"bag_pending", 1},
        Golden{"map_key", 1}, Golden{"register_stale", 1}, Golden{"two_objects", 1}})
    expect_golden(name, run_here({.args = {"check", name + ".jsonl", "--json", "--jobs", "1"}}),
                  status, true);
}

TEST(Golden, AnInterruptedCheckReportsItsScope) {
  // The specification never returns, so only the signal ends it.
  const std::vector<std::string> args = {"check", "holds.jsonl", "--spec", "specs/endless.cpp"};
  ASSERT_EQ(run_here({.args = {"check", "holds.jsonl", "--spec", "specs/endless.cpp", "--timeout",
                               "0.1"}})
                .status,
            2);  // compiled by now
  expect_golden("interrupted", run_here({.args = args, .signal_after = 0.5, .signal = SIGINT}),
                130);
  std::vector<std::string> json = args;
  json.push_back("--json");
  expect_golden("interrupted", run_here({.args = json, .signal_after = 0.5, .signal = SIGINT}), 130,
                true);
}

TEST(Golden, TheCounterexampleOfAReportIsAViolationByItself) {
  const RunResult ran = run_here({.args = {"check", "queue_fifo.jsonl", "--json"}});
  const std::string key = "\"history\":[";
  const std::size_t begin = ran.out.find(key) + key.size();
  std::string events = ran.out.substr(begin, ran.out.find("],\"operations\"", begin) - begin);
  events = std::regex_replace(events, std::regex("\\},\\{"), "}\n{");
  const RunResult again =
      run_plumb({.args = {"check", "-", "--spec", "queue"}, .input = events + "\n"});
  EXPECT_EQ(again.status, 1) << again.err;
}

TEST(Golden, TheWitnessIsTheOrder) {
  expect_golden("witness",
                run_here({.args = {"check", "holds.jsonl", "--witness", "-", "-o", "/dev/null"}}),
                0);
}

TEST(Golden, Models) {
  const std::string models = "../../models/";
  expect_golden("verify_holds", run_here({.args = {"verify", models + "register.plumb"}}), 0);
  expect_golden("verify_violation",
                run_here({.args = {"verify", models + "queue_array_racy.plumb"}}), 1);
  expect_golden("verify_stuck",
                run_here({.args = {"verify", models + "lock_forgotten.plumb", "--ascii"}}), 1);
  expect_golden("verify_holds", run_here({.args = {"verify", models + "peterson.plumb", "--json"}}),
                0, true);
  expect_golden("verify_violation",
                run_here({.args = {"verify", models + "counter_lost.plumb", "--json"}}), 1, true);
  expect_golden("verify_stuck",
                run_here({.args = {"verify", models + "lock_forgotten.plumb", "--json"}}), 1, true);
  expect_golden("verify_vacuous", run_here({.args = {"verify", "vacuous.plumb"}}), 0);
  expect_golden("verify_vacuous", run_here({.args = {"verify", "vacuous.plumb", "--json"}}), 0,
                true);
  const std::vector<std::string> marks = {"verify", models + "counter_points_late.plumb",
                                          "--points"};
  expect_golden("verify_marks", run_here({.args = marks}), 0);
  std::vector<std::string> marks_json = marks;
  marks_json.push_back("--json");
  expect_golden("verify_marks", run_here({.args = marks_json}), 0, true);
  expect_golden(
      "verify_regular",
      run_here({.args = {"verify", models + "register_bits.plumb", "--property", "regular"}}), 1);
  expect_golden("verify_fault", run_here({.args = {"verify", "fault.plumb"}}), 1);
  const std::vector<std::string> sweep = {"verify", models + "counter_lost.plumb", "--set",
                                          "N=1..3"};
  expect_golden("verify_sweep", run_here({.args = sweep}), 1);
  std::vector<std::string> json = sweep;
  json.push_back("--json");
  expect_golden("verify_sweep", run_here({.args = json}), 1, true);
  expect_golden("verify_stats",
                run_here({.args = {"verify", models + "counter.plumb", "--set", "N=2", "--stats"}}),
                0);
  expect_golden(
      "verify_lasso",
      run_here({.args = {"verify", models + "counter.plumb", "--property", "returns:push"}}), 1);
  expect_golden("verify_lasso",
                run_here({.args = {"verify", models + "peterson.plumb", "--property", "lock-free",
                                   "--json"}}),
                1, true);
  expect_golden("verify_deadlock",
                run_here({.args = {"verify", models + "lock_forgotten.plumb", "--property",
                                   "deadlock-free"}}),
                1);
  const std::vector<std::string> simulate = {
      "verify", models + "register.plumb", "--simulate", "--steps", "20", "--seed", "0"};
  expect_golden("verify_simulate", run_here({.args = simulate}), 0);
  json = simulate;
  json.push_back("--json");
  expect_golden("verify_simulate", run_here({.args = json}), 0, true);
  expect_golden("verify_explore",
                run_here({.args = {"verify", models + "counter.plumb", "--set", "N=2",
                                   "--explore-only", "--json"}}),
                0, true);
}

TEST(Golden, Help) {
  expect_golden("help", run_here({.args = {"--help"}}), 0);
  expect_golden("help_check", run_here({.args = {"check", "--help"}}), 0);
  expect_golden("help_verify", run_here({.args = {"verify", "--help"}}), 0);
  expect_golden("help_convert", run_here({.args = {"convert", "--help"}}), 0);
  expect_golden("help_test", run_here({.args = {"test", "--help"}}), 0);
}

std::string as_roff(std::string_view text) {
  return std::regex_replace(std::string(text), std::regex("-"), "\\-");
}

std::string options_as_roff(unsigned commands) {
  std::string out;
  options::Group group = options::Group::hidden;
  for (const options::Option* option : options::options_of(commands)) {
    if (option->group == options::Group::hidden) continue;
    if (option->group != group) out += ".SS " + as_roff(options::title(option->group)) + "\n";
    group = option->group;
    out += ".TP\n.B ";
    if (!option->alias.empty()) out += as_roff(option->alias) + ", ";
    out += as_roff(option->name);
    if (!option->is_flag()) out += " \\fI" + as_roff(option->takes.argument) + "\\fR";
    out += "\n" + as_roff(option->full_help()) + "\n";
  }
  return out;
}

TEST(Golden, TheManualPageHasEveryOption) {
  const std::string path = PLUMB_SOURCE_DIR "/docs/man/plumb.1";
  std::string page = file_contents(path);
  for (const options::CommandLine& command : options::all_commands()) {
    if (command.is_hidden) continue;
    const std::string name(command.name);
    const std::string begin = ".\\\" begin " + name + " options\n";
    const std::string end = ".\\\" end " + name + " options\n";
    const std::size_t at = page.find(begin), to = page.find(end);
    ASSERT_TRUE(at != page.npos && to != page.npos) << name;
    const std::size_t from = at + begin.size();
    page.replace(from, to - from, options_as_roff(command.commands));
  }
  compare(path, page);
}

}  // namespace
}  // namespace plumb::test
