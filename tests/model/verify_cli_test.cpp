// SPDX-License-Identifier: MIT
// plumb verify as a user sees it: exit statuses, errors, limits, standard input.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <filesystem>

#include "cli/run_plumb.hpp"
#include "support/file_contents.hpp"

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
  const std::string text = file_contents(kModels + "peterson.plumb");
  const RunResult ran = run_plumb({.args = {"verify", "-"}, .input = text});
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.out, StartsWith("HOLDS      standard input: linearizable (Lock, 2 processes: "));
}

TEST(Verify, SaysWhereAModelIsWrong) {
  const RunResult ran =
      run_plumb({.args = {"verify", "-"}, .input = "object O {\n  shared x = 0\n}\n"});
  EXPECT_EQ(ran.status, 65);
  EXPECT_EQ(ran.out, "");
  EXPECT_EQ(ran.err,
            "plumb: standard input:2:10: 'x' has no type, so it is unbounded\n"
            "  2 |   shared x = 0\n"
            "    |          ^\n"
            "  hint: say which values it may have: shared x : 0..K = 0\n");
}

TEST(Verify, SaysWhereASpecificationGoesWrong) {
  const RunResult ran = run_plumb({.args = {"verify", "-"},
                                   .input = "object O { op f() { } }\n"
                                            "spec { state s = 0\n op f() { assert s == 1 } }\n"
                                            "clients { 1 x f() }"});
  EXPECT_EQ(ran.status, 65);
  EXPECT_THAT(ran.err, HasSubstr("standard input:3: the specification has a fault: an assertion"));
}

TEST(Verify, SaysWhereWhatClientsRequireGoesWrong) {
  const std::string model =
      "object O {\n"
      "  shared x : 0..1 = 0\n"
      "  private mine : 0..1 = 0\n"
      "  op f(i : 0..2) requires 1 / mine == i { x = 1 }\n"
      "}\n"
      "spec { op f(i : 0..2) { } }\n"
      "clients { 2 x any }";
  for (const char* how :
       {"--explore-only", "--native=never", "--native=now", "--property=lock-free"}) {
    const RunResult ran = run_plumb({.args = {"verify", "-", how}, .input = model});
    EXPECT_EQ(ran.status, 65) << how << ran.out;
    EXPECT_THAT(ran.err, HasSubstr("standard input:4: requires has a fault: division by zero"))
        << how;
  }
}

TEST(Verify, RefusesSettingsThatMeanNothing) {
  const std::string model = kModels + "counter.plumb";
  for (const std::string setting : {"N", "N=x", "=3", "M=3", "N=99999999999"}) {
    const RunResult ran = run_plumb({.args = {"verify", model, "--set", setting}});
    EXPECT_EQ(ran.status, 64) << setting;
    EXPECT_THAT(ran.err, HasSubstr("--set " + setting.substr(0, 1)));
  }
}

TEST(Verify, ProvesByLinearizationPointsAndTellsWhereTheyAreWrong) {
  const RunResult right =
      run_plumb({.args = {"verify", kModels + "counter_points.plumb", "--points"}});
  EXPECT_EQ(right.status, 0);
  EXPECT_THAT(right.out, HasSubstr(": linearizable, by its linearization points (Counter"));
  const RunResult wrong =
      run_plumb({.args = {"verify", kModels + "counter_points_late.plumb", "--points"}});
  EXPECT_EQ(wrong.status, 0);
  EXPECT_THAT(wrong.out, HasSubstr(": linearizable (Counter"));
  EXPECT_THAT(wrong.out, HasSubstr("Warning: the linearization points do not explain every run"));
  const RunResult table = run_plumb({.args = {"verify", kModels + "counter_points_late.plumb",
                                              "--points", "--set", "SIZE=1..2"}});
  EXPECT_EQ(table.status, 0);
  EXPECT_THAT(table.out, HasSubstr("its linearization points do not explain every run"));
  const RunResult none = run_plumb({.args = {"verify", kModels + "counter.plumb", "--points"}});
  EXPECT_EQ(none.status, 64);
  EXPECT_THAT(none.err, HasSubstr("the model marks no linearization point"));
}

TEST(Verify, AsksOneQuestionAtATime) {
  const std::string model = kModels + "register_tromp_few.plumb";
  const std::vector<std::string> questions[] = {{"--points"},
                                                {"--engine", "soar"},
                                                {"--property", "regular"},
                                                {"--explore-only"},
                                                {"--simulate"}};
  for (const auto& one : questions)
    for (const auto& other : questions) {
      if (one == other) continue;
      std::vector<std::string> args = {"verify", model};
      args.insert(args.end(), one.begin(), one.end());
      args.insert(args.end(), other.begin(), other.end());
      const RunResult ran = run_plumb({.args = args});
      EXPECT_EQ(ran.status, 64) << one[0] << " " << other[0];
      EXPECT_THAT(ran.err, HasSubstr("more than one of"));
    }
}

TEST(Verify, TellsRegularRegistersFromAtomicOnes) {
  const std::string model = kModels + "register_tromp_line3.plumb";
  EXPECT_EQ(run_plumb({.args = {"verify", model}}).status, 1);
  const RunResult regular = run_plumb({.args = {"verify", model, "--property", "regular"}});
  EXPECT_EQ(regular.status, 0);
  EXPECT_THAT(regular.out, HasSubstr(": regular (Register, 2 processes"));
  const RunResult counter =
      run_plumb({.args = {"verify", kModels + "counter.plumb", "--property", "regular"}});
  EXPECT_EQ(counter.status, 64);
  EXPECT_THAT(counter.err, HasSubstr("registers with one writer"));
}

TEST(Verify, AsksEnginesAboutRecordedHistories) {
  const std::string model = kModels + "register_tromp_few.plumb";
  for (const std::string engine : {"soar", "soar-literal", "clmt"}) {
    const RunResult ran = run_plumb({.args = {"verify", model, "--engine", engine}});
    EXPECT_EQ(ran.status, 0) << ran.err;
    EXPECT_THAT(ran.out, HasSubstr(": linearizable, by " + engine + " on recorded histories"));
  }
  EXPECT_THAT(run_plumb({.args = {"verify", model, "--engine", "dummy"}}).out,
              StartsWith("EXPLORED"));
  const RunResult many = run_plumb(
      {.args = {"verify", model, "--engine", "clmt", "--set", "WRITES=9", "--set", "READS=9"}});
  EXPECT_EQ(many.status, 64);
}

TEST(HistoryAssertion, IsAskedUnlessSomethingElseIs) {
  const std::string model = kModels + "register_tromp_asserted.plumb";
  const RunResult own = run_plumb({.args = {"verify", model}});
  EXPECT_EQ(own.status, 0) << own.err;
  EXPECT_THAT(own.out, HasSubstr(": linearizable, by soar on recorded histories"));
  EXPECT_EQ(run_plumb({.args = {"verify", model, "--engine", "soar"}}).status, 0);
  for (const std::vector<std::string>& other : {std::vector<std::string>{"--engine", "product"},
                                                {"--property", "regular"},
                                                {"--property", "wait-free"},
                                                {"--explore-only"}}) {
    std::vector<std::string> args = {"verify", model};
    args.insert(args.end(), other.begin(), other.end());
    const RunResult ran = run_plumb({.args = args});
    EXPECT_EQ(ran.status, 0) << ran.err;
    EXPECT_THAT(ran.out, HasSubstr("Scope: assert soar(history) in line 15 played no part"));
  }
}

TEST(HistoryAssertion, ContradictsOtherEnginesAndCheckpoints) {
  const std::string model = kModels + "register_tromp_asserted.plumb";
  for (const std::string engine : {"clmt", "dummy", "soar-literal"}) {
    const RunResult ran = run_plumb({.args = {"verify", model, "--engine", engine}});
    EXPECT_EQ(ran.status, 64);
    EXPECT_THAT(ran.err, HasSubstr("--engine " + engine +
                                   ", but the model says assert soar(history) in line 15"));
  }
  const RunResult saved = run_plumb({.args = {"verify", model, "--checkpoint", scratch() + "/c"}});
  EXPECT_EQ(saved.status, 64);
  EXPECT_THAT(saved.err, HasSubstr("--checkpoint, but the model says assert soar(history)"));
}

const std::string kAsserted =
    "object O { shared x : 0..1 = 0, y : 0..1 = 0\n"
    "  assert soar(history)\n"
    "  op write(v : 0..1) { x = v  y = v }\n"
    "  op read() { local c = choose(0..1)  if c == 0 { return x } return y } }\n"
    "spec { state s = 0 op write(v) { s = v } op read() { return s } }\n";

TEST(HistoryAssertion, IsNamedWhereItFails) {
  const RunResult ran = run_plumb(
      {.args = {"verify", "-"},
       .input = kAsserted + "clients { 1 x write(any) at most 2 ; 1 x read() at most 2 }"});
  EXPECT_EQ(ran.status, 1) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("So assert soar(history) in line 2 fails."));
}

TEST(HistoryAssertion, IsAMistakeOfAModelThatCanNotKeepHistories) {
  const RunResult ran = run_plumb(
      {.args = {"verify", "-"}, .input = kAsserted + "clients { 1 x write(any) ; 1 x read() }"});
  EXPECT_EQ(ran.status, 65);
  EXPECT_THAT(ran.err, HasSubstr("standard input:2: assert soar(history): this question applies "
                                 "only to registers with one writer and few calls: some clients "
                                 "call forever"));
}

// Files that are gone after the test.
std::string coarse_pair(const std::string& fine_text) {
  write_file("coarse_counter.plumb",
             "const MOST = 3\n"
             "object C { shared n : 0..MOST = 0\n"
             "  op add() { atomic { local m = n  n = min(m + 1, MOST) } }\n"
             "  op get() { return n } }");
  return write_file("fine_counter.plumb", fine_text +
                                              "spec \"coarse_counter.plumb\"\n"
                                              "clients { 2 x any at most 2 }");
}
const std::string kFine =
    "object C { shared n : 0..3 = 0\n"
    "  op add() { repeat { local m = n } until CAS(n, m, min(m + 1, 3)) }\n"
    "  op get() { return n } }\n";
const std::string kLost =
    "object C { shared n : 0..3 = 0\n"
    "  op add() { local m = n  n = min(m + 1, 3) }\n"
    "  op get() { return n } }\n";

TEST(SpecFile, DecidesModelsAndHistories) {
  const RunResult fine = run_plumb({.args = {"verify", coarse_pair(kFine)}});
  EXPECT_EQ(fine.status, 0) << fine.err;
  EXPECT_THAT(fine.out, HasSubstr("Scope: the specification is C of "));
  EXPECT_THAT(fine.out, HasSubstr("(MOST=3), one"));
  const std::string history = scratch() + "/lost.jsonl";
  const std::string lost = coarse_pair(kLost);
  EXPECT_EQ(run_plumb({.args = {"verify", lost, "--history", history}}).status, 1);
  const RunResult checked = run_plumb({.args = {"check", "--spec", lost, history}});
  EXPECT_EQ(checked.status, 1) << checked.err;
  EXPECT_THAT(checked.out, HasSubstr("could only have returned 2"));
  // A counter that stops at 1 has nothing to lose.
  EXPECT_EQ(run_plumb({.args = {"check", "--spec", lost, "--set", "MOST=1", history}}).status, 0);
  EXPECT_EQ(run_plumb({.args = {"check", "--spec", lost, "--set", "LEAST=1", history}}).status, 64);
}

TEST(SpecFile, IsNamedWhereItIsWrong) {
  const std::string model = coarse_pair(kFine);
  const std::string coarse =
      write_file("coarse_counter.plumb", "object C {\n  private n : bit\n  op add() { } }");
  const RunResult wrong = run_plumb({.args = {"verify", model}});
  EXPECT_EQ(wrong.status, 65);
  EXPECT_THAT(wrong.err, HasSubstr("coarse_counter.plumb:2:11: a private variable in a spec"));
  EXPECT_THAT(wrong.err, HasSubstr("  2 |   private n : bit\n"));
  write_file("coarse_counter.plumb",
             "object C { shared n : 0..1 = 0\n"
             "  op add() { atomic { n = n + 1 } }\n  op get() { return n } }");
  const RunResult fault = run_plumb({.args = {"verify", model}});
  EXPECT_EQ(fault.status, 65);
  EXPECT_THAT(fault.err, HasSubstr("coarse_counter.plumb:2: the specification has a fault: 2 is "
                                   "not in 0..1"));
  std::filesystem::remove(coarse);
  const RunResult missing = run_plumb({.args = {"verify", model}});
  EXPECT_EQ(missing.status, 65);
  EXPECT_THAT(missing.err, HasSubstr("fine_counter.plumb:4:6: "));
  EXPECT_THAT(missing.err, HasSubstr("coarse_counter.plumb: cannot be read: No such file"));
  std::filesystem::create_directory(coarse);
  EXPECT_EQ(run_plumb({.args = {"verify", model}}).status, 65);
}

TEST(Verify, IsUndecidedAtItsLimits) {
  EXPECT_TRUE(sooner_or_later([] {
    const RunResult time = run_plumb({.args = large({"--timeout", "0.5"})});
    EXPECT_EQ(time.status, 2);
    EXPECT_THAT(time.out, HasSubstr("time-out after 0.5"));
    return time.seconds < 3;
  }));
  const RunResult memory = run_plumb({.args = large({"--memory", "60", "--json"})});
  EXPECT_EQ(memory.status, 2);
  EXPECT_THAT(memory.out, HasSubstr("\"reason\":\"memory limit of 60 MiB\""));
#ifndef PLUMB_SANITIZED  // a sanitizer's memory is not the program's
  EXPECT_LT(memory.peak_bytes, std::size_t{66} << 20);
#endif
}

TEST(Verify, CanBeInterrupted) {
  const RunResult ran = run_plumb({.args = kLarge, .signal_after = 0.5, .signal = SIGINT});
  EXPECT_EQ(ran.status, 130);
  EXPECT_THAT(ran.out, StartsWith("UNDECIDED"));
  EXPECT_THAT(ran.out, HasSubstr("interrupted"));
}

// Figures of a JSON report that do not depend on how it came to them.
std::string figures(const RunResult& ran) {
  const std::size_t begin = ran.out.find("\"states\":"), end = ran.out.find("\"bounds\":");
  EXPECT_NE(end, std::string::npos) << ran.out << ran.err;
  return ran.out.substr(begin, end - begin);
}

TEST(CheckpointOption, LosesNothingButTheLastSecondsIfKilled) {
  const std::vector<std::string> plain = {"verify", kModels + "counter.plumb", "--set", "N=5",
                                          "--json"};
  const std::string file = scratch() + "/killed.checkpoint";
  std::vector<std::string> args = plain;
  args.insert(args.end(), {"--checkpoint", file, "--checkpoint-every", "0.02"});
  for (double seconds = 0.05; !std::filesystem::exists(file); seconds += 0.01)
    ASSERT_EQ(run_plumb({.args = args, .signal_after = seconds, .signal = SIGKILL}).status,
              -SIGKILL);
  const RunResult resumed = run_plumb({.args = args});
  EXPECT_EQ(resumed.status, 0) << resumed.err;
  EXPECT_THAT(resumed.out, HasSubstr("resumed from "));
  EXPECT_EQ(figures(resumed), figures(run_plumb({.args = plain})));
  EXPECT_FALSE(std::filesystem::exists(file));
}

TEST(CheckpointOption, IsWrittenWhenTheSearchIsCut) {
  const std::string file = scratch() + "/cut.checkpoint";
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.end(), {"--checkpoint", file});
    return large(more);
  };
  const RunResult interrupted =
      run_plumb({.args = with({}), .signal_after = 0.5, .signal = SIGINT});
  EXPECT_EQ(interrupted.status, 130);
  EXPECT_THAT(interrupted.out, HasSubstr("saved in "));
  EXPECT_TRUE(std::filesystem::exists(file));
  const RunResult time = run_plumb({.args = with({"--timeout", "0.5", "--json"})});
  EXPECT_EQ(time.status, 2) << time.err;
  EXPECT_THAT(time.out, HasSubstr("resumed from "));
  EXPECT_THAT(time.out, HasSubstr("saved in "));
}

TEST(CheckpointOption, RefusesOtherFilesAndOtherQuestions) {
  const std::string model = kModels + "counter.plumb";
  const std::string file = write_file("other.checkpoint", "something of value");
  const RunResult foreign = run_plumb({.args = {"verify", model, "--checkpoint", file}});
  EXPECT_EQ(foreign.status, 65);
  EXPECT_EQ(foreign.out, "");
  EXPECT_THAT(foreign.err, HasSubstr("other.checkpoint: it is not a checkpoint of plumb verify"));
  EXPECT_EQ(file_contents(file), "something of value");
  const std::string none = scratch() + "/none/counter.checkpoint";
  EXPECT_EQ(run_plumb({.args = {"verify", model, "--checkpoint", none}}).status, 64);
  for (const std::vector<std::string>& more :
       {std::vector<std::string>{"--set", "N=2..3"}, {"--simulate"}, {"--property", "lock-free"}}) {
    std::vector<std::string> args = {"verify", model, "--checkpoint", scratch() + "/x"};
    args.insert(args.end(), more.begin(), more.end());
    EXPECT_EQ(run_plumb({.args = args}).status, 64);
  }
}

TEST(Verify, TellsEveryViolationAsAHistoryThatCheckConvicts) {
  int convicted = 0;
  for (const auto& entry : std::filesystem::directory_iterator(kModels)) {
    const std::string model = entry.path();
    if (entry.path().extension() != ".plumb") continue;
    const std::string file = scratch() + "/violation.jsonl";
    std::filesystem::remove(file);
    const RunResult ran =
        run_plumb({.args = {"verify", model, "--history", file, "--timeout", "500"}});
    const bool fault = ran.out.find("no history was written") != std::string::npos;
    EXPECT_EQ(std::filesystem::exists(file), ran.status == 1 && !fault) << model << ran.err;
    if (ran.status != 1 || fault) continue;
    ++convicted;
    const RunResult checked = run_plumb({.args = {"check", "--spec", model, file}});
    EXPECT_EQ(checked.status, 1) << model << checked.out << checked.err;
    EXPECT_THAT(checked.out, HasSubstr("not linearizable"));
    // Some models are called like a specification that Plumb knows. It is not that one.
    const RunResult other = run_plumb({.args = {"check", file}});
    EXPECT_EQ(other.status, 65) << model << other.out;
    EXPECT_THAT(other.err, HasSubstr(".plumb' (use --spec FILE.cpp or MODEL.plumb"));
  }
  EXPECT_GE(convicted, 6);
}

TEST(Verify, WritesNoHistoryOfAFault) {
  const std::string file = scratch() + "/fault.jsonl";
  const RunResult ran = run_plumb({.args = {"verify", "-", "--history", file},
                                   .input = "object O { op f() { assert false } }\n"
                                            "spec { op f() { } }\nclients { 1 x f() }"});
  EXPECT_EQ(ran.status, 1);
  EXPECT_THAT(ran.out, HasSubstr("no history was written"));
  EXPECT_FALSE(std::filesystem::exists(file));
}

const std::string kCounterHistory =
    "{\"type\":\"call\",\"process\":0,\"op\":\"push\",\"args\":[]}\n"
    "{\"type\":\"return\",\"process\":0,\"result\":null}\n"
    "{\"type\":\"call\",\"process\":0,\"op\":\"push\",\"args\":[]}\n"
    "{\"type\":\"return\",\"process\":0,\"result\":null}\n"
    "{\"type\":\"call\",\"process\":1,\"op\":\"pop\",\"args\":[]}\n"
    "{\"type\":\"return\",\"process\":1,\"result\":2}\n";

TEST(ModelAsSpecification, DecidesHistories) {
  const std::string file = write_file("counter.jsonl", kCounterHistory);
  const std::string model = kModels + "counter.plumb";
  EXPECT_EQ(run_plumb({.args = {"check", "--spec", model, file}}).status, 0);
  // A counter of size 1 forgets the second push.
  const RunResult small = run_plumb({.args = {"check", "--spec", model, "--set", "SIZE=1", file}});
  EXPECT_EQ(small.status, 1);
  EXPECT_THAT(small.out, HasSubstr("could only have returned 1"));
}

TEST(ModelAsSpecification, TakesCallsThatNoClientMakes) {
  const std::string history =
      "{\"type\":\"call\",\"process\":9,\"op\":\"write\",\"args\":[3]}\n"
      "{\"type\":\"return\",\"process\":9,\"result\":null}\n"
      "{\"type\":\"call\",\"process\":9,\"op\":\"read\",\"args\":[]}\n"
      "{\"type\":\"return\",\"process\":9,\"result\":";
  const std::string model = write_file(
      "reader.plumb",
      "object R { shared x : 0..3 = 0  op read() { return x }  op write(v : 0..3) { x = v } }\n"
      "spec { state x = 0  op read() { return x }  op write(v) { x = v } }\n"
      "clients { 1 x read() }");
  const std::vector<std::string> args = {"check", "--spec", model, "-"};
  EXPECT_EQ(run_plumb({.args = args, .input = history + "3}\n"}).status, 0);
  EXPECT_EQ(run_plumb({.args = args, .input = history + "2}\n"}).status, 1);
}

TEST(ModelAsSpecification, RefusesWhatIsNoneOfIt) {
  const std::string file = write_file("counter.jsonl", kCounterHistory);
  const auto check = [&](std::vector<std::string> args, const std::string& input = {}) {
    args.insert(args.begin(), "check");
    return run_plumb({.args = args, .input = input});
  };
  const RunResult missing = check({"--spec", "none.plumb", file});
  EXPECT_EQ(missing.status, 66);
  const RunResult wrong =
      check({"--spec", write_file("wrong.plumb", "object O {\n  shared x = 0\n}"), file});
  EXPECT_EQ(wrong.status, 65);
  EXPECT_THAT(wrong.err, HasSubstr("wrong.plumb:2:10: 'x' has no type"));
  const RunResult other = check({"--spec", kModels + "register.plumb", file});
  EXPECT_EQ(other.status, 65);
  EXPECT_THAT(other.err, HasSubstr("push"));
  const RunResult range =
      check({"--spec", kModels + "register.plumb", "-"},
            "{\"type\":\"call\",\"process\":0,\"op\":\"write\",\"args\":[9]}\n");
  EXPECT_EQ(range.status, 65);
  EXPECT_THAT(range.err, HasSubstr("v is 9, but must be in 0..3"));
  EXPECT_EQ(check({"--spec", "queue", "--set", "N=2", file}).status, 64);
  EXPECT_EQ(check({"--spec", kModels + "counter.plumb", "--set", "N=2..3", file}).status, 64);
  const RunResult fault = check(
      {"--spec",
       write_file("fault.plumb",
                  "object O { op push() { }  op pop() { return 0 } }\n"
                  "spec { state s : 0..1 = 0  op push() { s = s + 1 }  op pop() { return s } }\n"
                  "clients { 1 x any }"),
       file});
  EXPECT_EQ(fault.status, 65);
  EXPECT_THAT(fault.err, HasSubstr("fails at line 2: 2 is not in 0..1"));
}

TEST(Sweep, IsATableWithARowAValue) {
  const RunResult ran = run_plumb({.args = {"verify", kModels + "counter_lost.plumb", "--set",
                                            "N=1..2", "--set", "SIZE=2..3"}});
  EXPECT_EQ(ran.status, 1);
  EXPECT_EQ(std::count(ran.out.begin(), ran.out.end(), '\n'), 8) << ran.out;
  EXPECT_THAT(ran.out, HasSubstr("\n  N  SIZE  verdict "));
  EXPECT_THAT(ran.out, HasSubstr("\n  1     2  holds "));
  EXPECT_THAT(ran.out, HasSubstr("\n  2     3  violation "));
  EXPECT_THAT(ran.out, HasSubstr("counter_lost.plumb --set N=2 --set SIZE=2\n"));
}

TEST(Sweep, GoesOnAfterARowThatMeetsALimit) {
  const RunResult ran = run_plumb({.args = {"verify", kModels + "counter.plumb", "--set", "SIZE=9",
                                            "--set", "N=7..9", "--timeout", "0.3", "--json"}});
  EXPECT_EQ(ran.status, 2);
  EXPECT_EQ(std::count(ran.out.begin(), ran.out.end(), '\n'), 4);
  EXPECT_THAT(ran.out, HasSubstr("\"rows\":3,\"holds\":0,\"violation\":0,\"undecided\":3"));
  // Memory that one row took is there again for the next.
  const RunResult memory =
      run_plumb({.args = {"verify", kModels + "counter.plumb", "--set", "N=9..10", "--set",
                          "SIZE=9", "--memory", "60", "--json"}});
  EXPECT_EQ(memory.status, 2);
  EXPECT_THAT(memory.out, HasSubstr("\"undecided\":2"));
#ifndef PLUMB_SANITIZED  // a sanitizer's memory is not the program's
  EXPECT_LT(memory.peak_bytes, std::size_t{66} << 20);
#endif
}

TEST(Sweep, GoesOnAfterARowThatIsWrong) {
  const RunResult ran =
      run_plumb({.args = {"verify", "-", "--set", "K=1..3", "--json"},
                 .input = "const K = 1\nobject O { op f() { } }\n"
                          "spec { op f() { assert K != 2 } }\nclients { 1 x f() }"});
  EXPECT_EQ(ran.status, 65);
  EXPECT_THAT(ran.err, HasSubstr("standard input:3: the specification has a fault"));
  EXPECT_THAT(ran.out, HasSubstr("\"rows\":3,\"holds\":2,"));
  EXPECT_THAT(ran.out, HasSubstr("--set K=2"));
}

TEST(Sweep, CanBeInterrupted) {
  const RunResult ran = run_plumb({.args = {"verify", kModels + "counter.plumb", "--set", "SIZE=9",
                                            "--set", "N=9..10", "--json"},
                                   .signal_after = 0.5,
                                   .signal = SIGINT});
  EXPECT_EQ(ran.status, 130);
  EXPECT_THAT(ran.out, ::testing::Not(HasSubstr("\"rows\":2,")));
  EXPECT_THAT(ran.out, HasSubstr("\"interrupted\":true,\"exit_status\":130"));
}

TEST(Sweep, RefusesWhatItCanNotDo) {
  const std::string model = kModels + "counter.plumb";
  for (const std::string setting : {"N=3..2", "N=1..", "N=..3", "N=1..2..3", "N=0..5000"})
    EXPECT_EQ(run_plumb({.args = {"verify", model, "--set", setting}}).status, 64) << setting;
  EXPECT_EQ(
      run_plumb({.args = {"verify", model, "--set", "N=2..3", "--history", "h.jsonl"}}).status, 64);
  const RunResult many = run_plumb({.args = {"verify", model, "--set", "N=16..17"}});
  EXPECT_EQ(many.status, 65);
  EXPECT_THAT(many.err, HasSubstr("too many processes"));
  EXPECT_THAT(many.err, HasSubstr("with --set N=17"));
  EXPECT_EQ(many.out, "");
}

TEST(ProgressProperties, AreAskedByName) {
  const std::string model = kModels + "peterson.plumb";
  const RunResult holds = run_plumb({.args = {"verify", model, "--property", "returns:lock"}});
  EXPECT_EQ(holds.status, 0);
  EXPECT_THAT(holds.out, HasSubstr("every lock() returns"));
  const RunResult violation = run_plumb({.args = {"verify", model, "--property", "lock-free"}});
  EXPECT_EQ(violation.status, 1);
  EXPECT_THAT(violation.out, HasSubstr("not lock-free"));
  EXPECT_THAT(violation.out, HasSubstr("repeated forever:\n"));
  const RunResult wrong = run_plumb({.args = {"verify", model, "--property", "returns:pop"}});
  EXPECT_EQ(wrong.status, 64);
  EXPECT_THAT(wrong.err, HasSubstr("obstruction-free, returns:lock or returns:unlock"));
  EXPECT_EQ(
      run_plumb({.args = {"verify", model, "--property", "lock-free", "--explore-only"}}).status,
      64);
  const RunResult table =
      run_plumb({.args = {"verify", kModels + "counter.plumb", "--set", "N=1..2", "--property",
                          "wait-free", "--timeout", "500"}});
  EXPECT_EQ(table.status, 1);
  EXPECT_THAT(table.out, HasSubstr("\n  1  holds "));
  EXPECT_THAT(table.out, HasSubstr("\n  2  violation "));
  const RunResult cut = run_plumb({.args = large({"--property", "lock-free", "--timeout", "0.5"})});
  EXPECT_EQ(cut.status, 2);
}

TEST(Simulate, IsTheSameForTheSameSeed) {
  const std::vector<std::string> args = {"verify", kModels + "counter.plumb", "--simulate",
                                         "--steps", "30"};
  const auto seeded = [&](const std::string& seed) {
    std::vector<std::string> all = args;
    all.insert(all.end(), {"--seed", seed});
    return run_plumb({.args = all});
  };
  const RunResult first = seeded("7"), again = seeded("7"), other = seeded("8");
  EXPECT_EQ(first.status, 0) << first.err;
  EXPECT_EQ(first.out, again.out);
  EXPECT_NE(first.out, other.out);
  EXPECT_THAT(first.out, HasSubstr("30 steps of one run with seed 7"));
  EXPECT_THAT(first.out, HasSubstr("its history is linearizable"));
  const std::string file = scratch() + "/run.jsonl";
  std::vector<std::string> written = args;
  written.insert(written.end(), {"--history", file});
  EXPECT_EQ(run_plumb({.args = written}).status, 0);
  EXPECT_EQ(run_plumb({.args = {"check", file, "--spec", kModels + "counter.plumb"}}).status, 0);
}

TEST(Simulate, FindsAViolationWithLuck) {
  int found = 0;
  for (int seed = 0; seed < 20; ++seed) {
    const RunResult ran =
        run_plumb({.args = {"verify", kModels + "counter_lost.plumb", "--simulate", "--steps", "60",
                            "--seed", std::to_string(seed)}});
    ASSERT_TRUE(ran.status == 0 || ran.status == 1) << ran.err;
    found += ran.status;
    EXPECT_EQ(ran.out.find("impossible") != std::string::npos, ran.status == 1) << ran.out;
  }
  EXPECT_GT(found, 2);
}

TEST(Simulate, EndsWhereNobodyCanGoOn) {
  const RunResult ran =
      run_plumb({.args = {"verify", kModels + "lock_forgotten.plumb", "--simulate"}});
  EXPECT_EQ(ran.status, 1);
  EXPECT_THAT(ran.out, HasSubstr("it gets stuck"));
  EXPECT_THAT(ran.out, HasSubstr("waits forever"));
}

TEST(Simulate, AsksOnATerminal) {
  const RunResult ran = run_plumb({.args = {"verify", kModels + "peterson.plumb", "--simulate"},
                                   .input = "2\n99\nx\n2\nq\n",
                                   .input_terminal = true});
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("    2   process 1   call lock()"));
  EXPECT_THAT(ran.out, HasSubstr("    2   process 1   flag[self] = 1   flag[1]: 0 -> 1"));
  EXPECT_THAT(ran.out, HasSubstr("SIMULATED"));
  EXPECT_THAT(ran.out, HasSubstr("2 steps of one run (Lock, 2 processes)"));
}

TEST(Dot, DrawsSmallStateSpaces) {
  const std::string file = scratch() + "/peterson.dot";
  const RunResult ran = run_plumb({.args = {"verify", kModels + "peterson.plumb", "--dot", file}});
  EXPECT_EQ(ran.status, 0) << ran.err;
  const std::string picture = file_contents(file);
  EXPECT_THAT(picture, StartsWith("digraph \"Lock\" {\n"));
  // 92 states and 184 transitions, as --explore-only counts them.
  const RunResult explored =
      run_plumb({.args = {"verify", kModels + "peterson.plumb", "--explore-only"}});
  EXPECT_THAT(explored.out, HasSubstr("92 states, 184 transitions"));
  std::size_t nodes = 0, edges = 0;
  for (std::size_t at = 0; (at = picture.find(" [label=", at)) != std::string::npos; ++at) ++nodes;
  for (std::size_t at = 0; (at = picture.find(" -> ", at)) != std::string::npos; ++at) ++edges;
  EXPECT_EQ(edges, 184u);
  EXPECT_EQ(nodes, 92u + 184u);
  EXPECT_THAT(picture, HasSubstr("[label=\"1: flag[self] = 1\""));
}

TEST(Dot, RefusesWhatIsTooLarge) {
  const std::string file = scratch() + "/large.dot";
  const RunResult ran = run_plumb({.args = {"verify", kModels + "counter.plumb", "--dot", file}});
  EXPECT_EQ(ran.status, 64);
  EXPECT_THAT(ran.err, HasSubstr("more than 500 states"));
  EXPECT_FALSE(std::filesystem::exists(file));
  const RunResult fault = run_plumb({.args = {"verify", "-", "--dot", file},
                                     .input = "object O { op f() { assert false } }\n"
                                              "spec { op f() { } }\nclients { 1 x f() }"});
  EXPECT_EQ(fault.status, 64);
  EXPECT_THAT(fault.err, HasSubstr("has a fault"));
}

TEST(Stats, SayWhatEachReductionSaves) {
  const RunResult ran = run_plumb({.args = {"verify", kModels + "register.plumb", "--set", "K=3",
                                            "--no-antichain", "--stats"}});
  EXPECT_EQ(ran.status, 0);
  EXPECT_THAT(ran.out, HasSubstr("without late calls"));
  EXPECT_THAT(ran.out, HasSubstr("without symmetry"));
  EXPECT_THAT(ran.out, HasSubstr("antichain was off"));
  // Without any: what the switches give.
  const RunResult plain =
      run_plumb({.args = {"verify", kModels + "register.plumb", "--set", "K=3", "--no-antichain",
                          "--no-glue", "--no-symmetry", "--no-generators"}});
  const std::size_t colon = plain.out.find(": ", plain.out.find('(')) + 2;
  const std::string states = plain.out.substr(colon, plain.out.find(" states") - colon);
  const std::size_t none = ran.out.find("\n  none ");
  ASSERT_NE(none, std::string::npos) << ran.out;
  EXPECT_THAT(ran.out.substr(none), HasSubstr(" " + states + " ")) << plain.out;
}

TEST(Progress, ShowsStatesDepthAndMemory) {
  EXPECT_TRUE(sooner_or_later([] {
    const RunResult ran = run_plumb({.args = large({"--timeout", "3", "--progress", "plain"})});
    EXPECT_EQ(ran.status, 2);
    return testing::Matches(
        ::testing::MatchesRegex("counter.plumb 2 s: .* states, .*/s, .* transitions, "
                                "depth .*, .* MiB\n"))(ran.err);
  }));
}

TEST(Verify, CountsStatesUnreduced) {
  const RunResult ran =
      run_plumb({.args = {"verify", kModels + "counter.plumb", "--explore-only"}});
  EXPECT_EQ(ran.status, 0);
  EXPECT_THAT(ran.out, HasSubstr("25,186 states"));
}

TEST(Verify, TellsAFaultFromAWrongResult) {
  const RunResult ran = run_plumb({.args = {"verify", "-", "--ascii"},
                                   .input = "object O { shared x : 0..1 = 0\n op f() { x = 2 } }\n"
                                            "spec { op f() { } }\nclients { 2 x f() }"});
  EXPECT_EQ(ran.status, 1);
  EXPECT_THAT(ran.out, HasSubstr("a fault in line 2: 2 is not in 0..1"));
  EXPECT_THAT(ran.out, HasSubstr("The 2 steps, with lines of standard input:"));
}

}  // namespace
}  // namespace plumb::test
