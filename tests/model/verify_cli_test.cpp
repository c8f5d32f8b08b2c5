// SPDX-License-Identifier: MIT
// plumb verify as a user sees it: exit statuses, errors, limits, standard input.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

#include "cli/run_plumb.hpp"

namespace plumb::test {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

const std::string kModels = PLUMB_SOURCE_DIR "/models/";
// Too large to be decided in the time of a test.
const std::vector<std::string> kLarge = {
    "verify", kModels + "counter.plumb", "--set", "N=9", "--set", "SIZE=9"};

std::vector<std::string> large(std::vector<std::string> more) {
  std::vector<std::string> args = kLarge;
  args.insert(args.end(), more.begin(), more.end());
  return args;
}

TEST(Verify, HasTheExitStatusesOfTheContract) {
  EXPECT_EQ(run_plumb({.args = {"verify", kModels + "peterson.plumb"}}).status, 0);
  EXPECT_EQ(run_plumb({.args = {"verify", kModels + "peterson_early.plumb", "--quiet"}}).status, 1);
  EXPECT_EQ(run_plumb({.args = {"verify"}}).status, 64);
  EXPECT_EQ(run_plumb({.args = {"verify", kModels + "none.plumb"}}).status, 66);
  EXPECT_EQ(run_plumb({.args = {"verify", kModels}}).status, 66);
}

TEST(Verify, ReadsStandardInput) {
  const std::string text = read_file(kModels + "peterson.plumb");
  const Ran ran = run_plumb({.args = {"verify", "-"}, .input = text});
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.out, StartsWith("HOLDS      standard input: linearizable (Lock, 2 processes: "));
}

TEST(Verify, SaysWhereAModelIsWrong) {
  const Ran ran = run_plumb({.args = {"verify", "-"}, .input = "object O {\n  shared x = 0\n}\n"});
  EXPECT_EQ(ran.status, 65);
  EXPECT_EQ(ran.out, "");
  EXPECT_EQ(ran.err,
            "plumb: standard input:2:10: 'x' has no type, so it is unbounded\n"
            "  2 |   shared x = 0\n"
            "    |          ^\n"
            "  hint: say which values it may have: shared x : 0..K = 0\n");
}

TEST(Verify, SaysWhereASpecificationGoesWrong) {
  const Ran ran = run_plumb({.args = {"verify", "-"},
                             .input = "object O { op f() { } }\n"
                                      "spec { state s = 0\n op f() { assert s == 1 } }\n"
                                      "clients { 1 x f() }"});
  EXPECT_EQ(ran.status, 65);
  EXPECT_THAT(ran.err, HasSubstr("standard input:3: the specification goes wrong: an assertion"));
}

TEST(Verify, RefusesSettingsThatMeanNothing) {
  const std::string model = kModels + "counter.plumb";
  for (const std::string setting : {"N", "N=x", "=3", "M=3", "N=99999999999"}) {
    const Ran ran = run_plumb({.args = {"verify", model, "--set", setting}});
    EXPECT_EQ(ran.status, 64) << setting;
    EXPECT_THAT(ran.err, HasSubstr("--set " + setting.substr(0, 1)));
  }
}

TEST(Verify, IsUndecidedAtItsLimits) {
  const Ran time = run_plumb({.args = large({"--timeout", "0.5"})});
  EXPECT_EQ(time.status, 2);
  EXPECT_LT(time.seconds, 3);
  EXPECT_THAT(time.out, HasSubstr("time-out after 0.5"));
  const Ran memory = run_plumb({.args = large({"--memory", "60", "--json"})});
  EXPECT_EQ(memory.status, 2);
  EXPECT_THAT(memory.out, HasSubstr("\"reason\":\"memory limit of 60 MiB\""));
  EXPECT_LT(memory.peak_bytes, std::size_t{80} << 20);
}

TEST(Verify, CanBeInterrupted) {
  const Ran ran = run_plumb({.args = kLarge, .signal_after = 0.5, .signal = SIGINT});
  EXPECT_EQ(ran.status, 130);
  EXPECT_THAT(ran.out, StartsWith("UNDECIDED"));
  EXPECT_THAT(ran.out, HasSubstr("interrupted"));
}

TEST(Verify, CountsStatesUnreduced) {
  const Ran ran = run_plumb({.args = {"verify", kModels + "counter.plumb", "--explore-only"}});
  EXPECT_EQ(ran.status, 0);
  EXPECT_THAT(ran.out, HasSubstr("25,186 states"));
}

TEST(Verify, TellsAFaultFromAWrongResult) {
  const Ran ran = run_plumb({.args = {"verify", "-", "--ascii"},
                             .input = "object O { shared x : 0..1 = 0\n op f() { x = 2 } }\n"
                                      "spec { op f() { } }\nclients { 2 x f() }"});
  EXPECT_EQ(ran.status, 1);
  EXPECT_THAT(ran.out, HasSubstr("a fault in line 2: 2 is not in 0..1"));
  EXPECT_THAT(ran.out, HasSubstr("The 2 steps:"));
}

}  // namespace
}  // namespace plumb::test
