// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <zlib.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/run_plumb.hpp"
#include "support/file_contents.hpp"

namespace plumb::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using Json = nlohmann::json;

#ifdef PLUMB_SANITIZED
constexpr bool kSanitized = true;  // memory and time are not what they are
#else
constexpr bool kSanitized = false;
#endif

const std::string kGolden = PLUMB_SOURCE_DIR "/tests/golden/";
const std::string kHolds = kGolden + "holds.jsonl";
const std::string kViolation = kGolden + "queue_fifo.jsonl";
const std::string kEndless = kGolden + "specs/endless.cpp";
const std::string kHeader = "{\"history\":1,\"object\":\"queue\"}\n";

std::string call(int process, const std::string& op, const std::string& args = "") {
  return "{\"type\":\"call\",\"process\":" + std::to_string(process) + ",\"op\":\"" + op +
         "\",\"args\":[" + args + "]}\n";
}
std::string returns(int process, const std::string& result = "null") {
  return "{\"type\":\"return\",\"process\":" + std::to_string(process) + ",\"result\":" + result +
         "}\n";
}

RunResult check(std::vector<std::string> args, Run run = {}) {
  args.insert(args.begin(), "check");
  run.args = std::move(args);
  return run_plumb(run);
}

std::string gzip(const std::string& text) {
  z_stream stream = {};
  deflateInit2(&stream, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&stream, text.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

// Exactly one line on standard error, "plumb: ...: message (remedy)", and nothing else.
void expect_error(const RunResult& ran, int status, const std::string& start,
                  const std::string& part) {
  EXPECT_EQ(ran.status, status);
  EXPECT_EQ(ran.out, "");
  EXPECT_THAT(ran.err, StartsWith("plumb: " + start));
  EXPECT_THAT(ran.err, HasSubstr(part));
  EXPECT_EQ(std::count(ran.err.begin(), ran.err.end(), '\n'), 1) << ran.err;
  EXPECT_TRUE(ran.err.ends_with(")\n")) << "no remedy: " << ran.err;
}

// A history that no engine decides soon: many processes dequeue what they cannot.
std::string hard_history() {
  std::string text = kHeader;
  for (int i = 0; i < 40; ++i) text += call(i, "enq", std::to_string(i));
  for (int i = 0; i < 40; ++i) text += returns(i);
  for (int i = 0; i < 40; ++i) text += call(i, "deq");
  for (int i = 0; i < 40; ++i) text += returns(i, std::to_string((i * 7 + 3) % 40));
  for (int i = 0; i < 40; ++i) text += call(i, "enq", std::to_string(100 + i));
  for (int i = 0; i < 40; ++i) text += returns(i);
  for (int i = 0; i < 39; ++i) text += call(i, "deq");
  for (int i = 0; i < 39; ++i) text += returns(i, std::to_string(100 + (i * 11 + 5) % 40));
  return text + call(39, "size") + returns(39, "2");
}

// ---- Exit statuses ------------------------------------------------------------------------------

TEST(Status, HoldsIs0) { EXPECT_EQ(check({kHolds}).status, 0); }
TEST(Status, ViolationIs1) { EXPECT_EQ(check({kViolation}).status, 1); }

TEST(Status, UndecidedIs2) {
  const RunResult ran = check({"-", "--engine", "brute"}, {.input = hard_history()});
  EXPECT_EQ(ran.status, 2) << ran.err;
  EXPECT_THAT(ran.out, StartsWith("UNDECIDED  standard input: brute takes at most"));
}

TEST(Status, NothingCheckedIs2UnlessThatIsAllowed) {
  for (const std::string format : {"text", "json"}) {
    const auto run = [&](std::vector<std::string> args) {
      if (format == "json") args.push_back("--json");
      return check(args, {.input = kHeader});
    };
    const RunResult ran = run({"-"});
    EXPECT_EQ(ran.status, 2);
    EXPECT_THAT(ran.out, HasSubstr("nothing was checked"));
    EXPECT_EQ(run({write_file("empty.jsonl", kHeader)}).status, 2);
    EXPECT_EQ(run({"-", "--allow-empty"}).status, 0);
    EXPECT_EQ(run({"-", "--engine", "wgl", "--witness", "no-order.jsonl"}).status, 2);
    EXPECT_FALSE(std::filesystem::exists(scratch() + "/no-order.jsonl"));
  }
  const RunResult none = run_plumb(
      {.args = {"report", write_file("none.json", ""), "--html", scratch() + "/none.html"}});
  EXPECT_EQ(none.status, 2);
  EXPECT_THAT(none.err, HasSubstr("nothing was checked"));
  EXPECT_FALSE(std::filesystem::exists(scratch() + "/none.html"));
}

TEST(Status, WrongUsageIs64) {
  expect_error(run_plumb({}), 64, "", "subcommand");
  expect_error(run_plumb({.args = {"prove", "x.cpp"}}), 64, "unknown command 'prove'", "check");
  expect_error(check({}), 64, "FILE is required", "--help");
  expect_error(check({kHolds, "--nonsense"}), 64, "", "--nonsense");
  expect_error(check({kHolds, "--engine", "x"}), 64, "unknown engine 'x'", "jit");
  expect_error(check({kHolds, "--spec", "x"}), 64, "unknown specification 'x'", "queue");
  expect_error(check({kHolds, "--timeout", "soon"}), 64, "--timeout", "soon");
  expect_error(check({kHolds, "--timeout", "0"}), 64, "--timeout", "above 0");
  expect_error(check({kHolds, "--memory", "-5"}), 64, "--memory", "an integer from 1");
  expect_error(check({kHolds, "--search", "x"}), 64, "--search", "dfs, bfs");
  expect_error(check({kHolds, "--failed-cas", "x"}), 64, "--failed-cas", "mismatch");
  expect_error(check({kHolds, "--format", "x"}), 64, "--format", "native");
  expect_error(check({kHolds, "--progress", "x"}), 64, "--progress", "plain");
  expect_error(check({kHolds, "--clock-skew", "1h"}), 64, "--clock-skew 1h", "number");
  expect_error(check({kHolds, "--initial", "{"}), 64, "--initial {", "JSON");
  expect_error(check({kHolds, kViolation, "--witness", "w"}), 64, "--witness", "one file");
  expect_error(check({kHolds, "-o", "no/such/folder"}), 64, "no/such/folder", "cannot write");
}

TEST(Status, AMissingFileIs66) {
  expect_error(check({"nowhere.jsonl"}), 66, "nowhere.jsonl: ", "No such file");
  expect_error(run_plumb({.args = {"convert", "nowhere.jsonl", "-"}}), 66, "nowhere.jsonl: ", "");
}

TEST(Status, HelpAndVersionAre0OnStandardOutput) {
  for (const auto& args :
       {std::vector<std::string>{"--help"}, {"--version"}, {"check", "--help"}}) {
    const RunResult ran = run_plumb({.args = args});
    EXPECT_EQ(ran.status, 0);
    EXPECT_NE(ran.out, "");
    EXPECT_EQ(ran.err, "");
  }
}

TEST(Status, JsonDoesNotChangeIt) {
  EXPECT_EQ(check({kHolds, "--json"}).status, 0);
  EXPECT_EQ(check({kViolation, "--json"}).status, 1);
  EXPECT_EQ(check({"-", "--engine", "brute", "--json"}, {.input = hard_history()}).status, 2);
  EXPECT_EQ(check({"nowhere", "--json"}).status, 66);
}

TEST(Status, OfSeveralFilesTheWorstOne) {
  const std::string bad = write_file("bad.jsonl", kHeader + returns(1));
  const std::string hard = write_file("hard.jsonl", hard_history());
  const auto status = [](std::vector<std::string> files, const char* engine = "auto") {
    files.insert(files.end(), {"--engine", engine, "--quiet"});
    return check(files).status;
  };
  EXPECT_EQ(status({kHolds, kHolds}), 0);
  EXPECT_EQ(status({kHolds, kViolation}), 1);
  EXPECT_EQ(status({hard, kHolds}, "brute"), 2);
  EXPECT_EQ(status({hard, kViolation, kHolds}, "brute"), 1);
  EXPECT_EQ(status({bad, kHolds}), 65);
  EXPECT_EQ(status({bad, hard}, "brute"), 65);
  EXPECT_EQ(status({bad, kViolation}), 1);
  EXPECT_EQ(status({kHolds, "nowhere"}), 66);
}

TEST(Status, ABadFileDoesNotKeepTheOthersFromBeingChecked) {
  const std::string bad = write_file("bad2.jsonl", kHeader + returns(1));
  const RunResult ran = check({kHolds, bad, kViolation, "--json"});
  EXPECT_EQ(ran.status, 1);
  EXPECT_EQ(std::count(ran.err.begin(), ran.err.end(), '\n'), 1) << ran.err;
  std::istringstream lines(ran.out);
  std::vector<Json> objects;
  for (std::string line; std::getline(lines, line);) objects.push_back(Json::parse(line));
  ASSERT_EQ(objects.size(), 3u);
  EXPECT_EQ(objects[0]["verdict"], "holds");
  EXPECT_EQ(objects[1]["verdict"], "violation");
  const Json& summary = objects[2]["summary"];
  EXPECT_EQ(summary["files"], 3);
  EXPECT_EQ(summary["exit_status"], 1);
  ASSERT_EQ(summary["errors"].size(), 1u);
  EXPECT_EQ(summary["errors"][0]["line"], 2);
}

// ---- Bad input ----------------------------------------------------------------------------------

void expect_bad(const std::string& text, int line, const std::string& part) {
  SCOPED_TRACE(text.substr(0, 200));
  const std::string path = write_file("input", text);
  const std::string where = line ? path + ":" + std::to_string(line) + ": " : path + ": ";
  expect_error(check({path}), 65, where, part);
  expect_error(check({path, "--json"}), 65, where, part);
}

TEST(BadInput, TruncatedGzip) {
  std::string text = kHeader;
  for (int i = 0; i < 2000; ++i) text += call(0, "enq", std::to_string(i * 7919)) + returns(0);
  const std::string whole = gzip(text);
  EXPECT_EQ(check({write_file("whole.gz", whole)}).status, 0);
  for (const std::size_t size : {whole.size() / 2, whole.size() - 1, std::size_t{20}}) {
    const RunResult ran = check({write_file("cut.gz", whole.substr(0, size))});
    expect_error(ran, 65, scratch() + "/cut.gz", "gzip");
  }
}
TEST(BadInput, UnknownOperation) { expect_bad(kHeader + call(0, "frob"), 2, "frob"); }
TEST(BadInput, ReturnWithoutCall) {
  expect_bad(kHeader + call(0, "deq") + returns(0) + returns(0), 4, "return");
}
TEST(BadInput, TwoCallsWithoutAReturnBetween) {
  expect_bad(kHeader + call(0, "deq") + call(0, "deq"), 3, "");
}
TEST(BadInput, WrongNumberOfArguments) {
  expect_bad(kHeader + call(0, "enq", "1,2"), 2, "argument");
  expect_bad(kHeader + call(0, "enq"), 2, "argument");
}
TEST(BadInput, InvalidUtf8) { expect_bad(kHeader + call(0, "enq", "\"\xff\""), 2, "UTF-8"); }
TEST(BadInput, NoJson) { expect_bad(kHeader + "{\"type\":\"call\",\n", 2, ""); }
TEST(BadInput, EmptyFile) { expect_bad("", 0, "empty"); }
TEST(BadInput, AFileThatChangesTypeHalfWay) {
  expect_bad(kHeader + call(0, "deq") + "{:type :ok, :process 0, :f :deq, :value nil}\n", 3, "");
  expect_bad(
      kHeader + call(0, "deq") + returns(0) +
          "{\"process\":1,\"op\":\"deq\",\"args\":[],\"result\":null,\"call\":1,\"return\":2}\n",
      4, "");
  expect_bad(kHeader + call(0, "deq") + std::string("\x1f\x8b\x08\0\0\0", 6) + "\n", 3, "");
}
TEST(BadInput, AnObjectThatIsNotSaid) { expect_bad(call(0, "deq") + returns(0), 0, "--spec"); }
TEST(BadInput, ADirectory) { expect_error(check({scratch()}), 66, scratch(), "directory"); }

TEST(BadInput, AHugeLineIsRefusedInLittleMemory) {
  const std::string path = scratch() + "/huge.jsonl";
  write_file("huge.jsonl",
             kHeader + "{\"type\":\"call\",\"process\":0,\"op\":\"enq\",\"args\":[\"");
  std::filesystem::resize_file(path, 100'000'000);  // the rest is zeros, and takes no room on disk
  const RunResult ran = check({path}, {.address_space = kSanitized ? 0 : std::size_t{700} << 20});
  expect_error(ran, 65, path + ":2: ", "");
  if (kSanitized) return;
  EXPECT_LT(ran.peak_bytes, std::size_t{300} << 20);
}

TEST(BadInput, AnErrorOfTheSpecificationFileIsALineAndWhatTheCompilerShows) {
  const std::string broken = write_file("broken.cpp", "this is not C++\n");
  const RunResult ran = check({kHolds, "--spec", broken});
  EXPECT_EQ(ran.status, 65);
  EXPECT_EQ(ran.out, "");
  EXPECT_TRUE(ran.err.starts_with("plumb: " + broken + ":1: ")) << ran.err;
  EXPECT_NE(ran.err.find("\n    1 | this is not C++\n"), std::string::npos) << ran.err;
  EXPECT_EQ(check({kHolds, "--spec", "nowhere.cpp"}).status, 66);
}

TEST(BadInput, ASpecificationThatThrowsIsBadInput) {
  const std::string spec = write_file("throws.cpp", R"(
#include <plumb/describe.hpp>
#include <stdexcept>
struct Throws {
  int n = 0;
  auto state() const { return std::tie(n); }
  void enq(int) { throw std::runtime_error("no room"); }
  int deq() { return n; }
};
auto spec = plumb::describe<Throws>("throws").method("enq", &Throws::enq).method("deq", &Throws::deq);
)");
  expect_error(check({kHolds, "--spec", spec}), 65, kHolds, "no room");
}

// ---- Limits and interrupts ----------------------------------------------------------------------

// Makes sure that it is compiled, which counts for no limit.
void compile_endless() { check({kHolds, "--spec", kEndless, "--timeout", "0.05"}); }

// The limit counts from the start of reading, so what the program needs to get there (measured with
// a limit of next to nothing) is taken off.
void expect_timeout_holds(double limit, const std::vector<std::string>& args, const Run& run) {
  const auto wall = [&](const std::string& seconds) {
    std::vector<std::string> all = args;
    all.insert(all.end(), {"--timeout", seconds});
    const RunResult ran = check(all, run);
    EXPECT_EQ(ran.status, 2) << ran.out << ran.err;
    return ran.seconds;
  };
  EXPECT_TRUE(sooner_or_later([&] {
    const double start = wall("0.01"), whole = wall(std::to_string(limit));
    EXPECT_GT(whole, 0.9 * limit);  // never sooner, however busy the machine is
    return kSanitized || whole - start < 1.1 * limit;
  }));
}

TEST(Limits, ATimeoutHoldsInsideAStepThatNeverReturns) {
  compile_endless();
  EXPECT_THAT(check({kHolds, "--spec", kEndless, "--timeout", "1"}).out,
              HasSubstr("time-out after 1.0 s"));
  expect_timeout_holds(1, {kHolds, "--spec", kEndless}, {});
}

TEST(Limits, ATimeoutHoldsWhileReading) {
  const test::Run endless = {.input = kHeader, .keep_input_open = true};
  // It has a tenth of the time to say so.
  EXPECT_TRUE(sooner_or_later([&] {
    const RunResult ran = check({"-", "--timeout", "1"}, endless);
    EXPECT_THAT(ran.out, HasSubstr("time-out after 1.0 s"));
    return ran.out.find("linearizable up to line 1") != std::string::npos;
  }));
  EXPECT_THAT(check({"-", "--timeout", "1", "--engine", "jit"}, endless).out,
              HasSubstr("time-out after 1.0 s while reading"));
  expect_timeout_holds(1, {"-"}, endless);
}

TEST(Limits, ATimeoutInASearchSaysHowFarItCame) {
  // A search that is still giving back its memory when the grace ends is left without its figures;
  // on a machine that is busy with other things that happens now and then, but not always.
  EXPECT_TRUE(sooner_or_later([&] {
    const RunResult ran =
        check({"-", "--timeout", "1", "--engine", "wgl", "--json"}, {.input = hard_history()});
    EXPECT_EQ(ran.status, 2) << ran.out;
    const Json json = Json::parse(ran.out);
    EXPECT_EQ(json["reason"], "time-out after 1.0 s");
    EXPECT_EQ(json["scope"]["interrupted"], false);
    EXPECT_EQ(json["scope"]["timeout_seconds"], 1.0);
    EXPECT_EQ(json["scope"]["operations"], 160);
    return std::ranges::any_of(json["scope"]["partitions"],
                               [](const Json& partition) { return partition["covered"] > 0; });
  }));
  expect_timeout_holds(1, {"-", "--engine", "wgl"}, {.input = hard_history()});
}

#ifndef PLUMB_SANITIZED  // a sanitizer's memory is not the program's
TEST(Limits, AMemoryLimitHoldsInsideAStepThatNeverStopsAllocating) {
  const std::string spec = write_file("hungry.cpp", R"(
#include <plumb/describe.hpp>
#include <cstring>
struct Hungry {
  int n = 0;
  auto state() const { return std::tie(n); }
  void enq(int) {
    for (;;) std::memset(new char[1 << 16], 1, 1 << 16);
  }
  int deq() { return n; }
};
auto spec = plumb::describe<Hungry>("hungry").method("enq", &Hungry::enq).method("deq", &Hungry::deq);
)");
  check({kHolds, "--spec", spec, "--timeout", "0.05"});
  // Who looks after it needs a core now and then.
  EXPECT_TRUE(sooner_or_later([&] {
    const RunResult ran = check({kHolds, "--spec", spec, "--memory", "200"});
    EXPECT_EQ(ran.status, 2);
    EXPECT_THAT(ran.out, HasSubstr("memory limit of 200 MiB"));
    return ran.peak_bytes < std::size_t{220} << 20;
  }));
}

TEST(Limits, AMemoryLimitHoldsInASearch) {
  // Small limits are the hard ones: what is filled between two looks is a larger part of them.
  for (const std::string engine : {"wgl", "jit"})
    for (const std::size_t mib : {50, 100, 200}) {
      const RunResult ran =
          check({"-", "--memory", std::to_string(mib), "--timeout", "500", "--engine", engine},
                {.input = hard_history()});
      EXPECT_EQ(ran.status, 2) << ran.out;
      EXPECT_THAT(ran.out, HasSubstr("memory limit of " + std::to_string(mib) + " MiB"));
      EXPECT_LT(ran.peak_bytes, (mib << 20) * 11 / 10) << engine << " " << mib;
    }
}
#endif

TEST(Limits, FilesAfterOneThatCouldNotBeStoppedAreReported) {
  compile_endless();
  const RunResult ran = check({kHolds, kHolds, "--spec", kEndless, "--timeout", "0.2", "--json"});
  EXPECT_EQ(ran.status, 2);
  EXPECT_EQ(std::count(ran.out.begin(), ran.out.end(), '\n'), 3) << ran.out;
  EXPECT_THAT(ran.out, HasSubstr("the previous check did not stop"));
  std::istringstream lines(ran.out);
  std::string line;
  for (int file = 0; file < 2 && std::getline(lines, line); ++file)
    EXPECT_EQ(Json::parse(line)["stopped"], "time limit") << line;
}

TEST(Interrupt, CtrlCReportsTheScopeAndIs130) {
  for (const int signal : {SIGINT, SIGTERM})
    EXPECT_TRUE(sooner_or_later([&] {
      const RunResult ran = check({"-", "--engine", "wgl", "--json"},
                                  {.input = hard_history(), .signal_after = 0.7, .signal = signal});
      EXPECT_EQ(ran.status, 130) << ran.out << ran.err;
      const Json json = Json::parse(ran.out);
      EXPECT_EQ(json["verdict"], "undecided");
      EXPECT_EQ(json["reason"], "interrupted");
      EXPECT_EQ(json["scope"]["interrupted"], true);
      EXPECT_EQ(json["scope"]["operations"], 160);
      return ran.seconds_after_signal < 2.3;
    }));
}

TEST(Interrupt, WhileReading) {
  const RunResult ran =
      check({"-", "--json"},
            {.input = kHeader, .signal_after = 0.3, .signal = SIGINT, .keep_input_open = true});
  ASSERT_EQ(ran.status, 130);
  EXPECT_EQ(Json::parse(ran.out)["scope"]["read"], false);
}

TEST(Interrupt, ConvertJustEnds) {
  const RunResult ran = run_plumb({.args = {"convert", "-", "-"},
                                   .input = kHeader,
                                   .signal_after = 0.3,
                                   .signal = SIGINT,
                                   .keep_input_open = true});
  EXPECT_EQ(ran.status, -SIGINT);
}

// ---- Streams ------------------------------------------------------------------------------------

TEST(Output, GoesToTheFileThatIsAskedFor) {
  const RunResult ran = check({kViolation, "-o", "report.txt"});
  EXPECT_EQ(ran.status, 1);
  EXPECT_EQ(ran.out, "");
  EXPECT_THAT(file_contents(scratch() + "/report.txt"), StartsWith("VIOLATION  "));
}

TEST(Output, QuietIsOneLineAFile) {
  const RunResult ran = check({kViolation, kHolds, "--quiet"});
  EXPECT_EQ(std::count(ran.out.begin(), ran.out.end(), '\n'), 2) << ran.out;
}

TEST(Output, HasColoursOnlyOnATerminalAndNeverWithNoColor) {
  EXPECT_THAT(check({kViolation}).out, Not(HasSubstr("\x1b[")));
  EXPECT_THAT(check({kViolation}, {.terminal = true}).out, HasSubstr("\x1b["));
  EXPECT_THAT(check({kViolation}, {.environment = {{"NO_COLOR", "1"}}, .terminal = true}).out,
              Not(HasSubstr("\x1b[")));
  EXPECT_THAT(check({kViolation}, {.environment = {{"TERM", "dumb"}}, .terminal = true}).out,
              Not(HasSubstr("\x1b[")));
}

TEST(Output, IsAsciiWhereTheLocaleIs) {
  EXPECT_THAT(check({kViolation}).out, HasSubstr("┌"));
  for (const char c : check({kViolation}, {.environment = {{"LC_ALL", "C"}}}).out)
    ASSERT_LT(static_cast<unsigned char>(c), 0x80);
}

TEST(Output, AReaderThatGoesAwayIsNoCrash) {
  EXPECT_EQ(check({kViolation}, {.closed_output = true}).status, 1);
  EXPECT_EQ(check({kHolds, "--json"}, {.closed_output = true}).status, 0);
}

TEST(Output, AFullDiskIsAnError) {
  const RunResult ran = check({kHolds, "-o", "/dev/full"});
  EXPECT_EQ(ran.status, 70);
  EXPECT_THAT(ran.err, HasSubstr("/dev/full: cannot write: No space left"));
}

TEST(Output, JsonIsOneObjectAndEscapesWhatItMust) {
  const std::string path = write_file("it's \"odd\"\n.jsonl", file_contents(kViolation));
  const RunResult ran = check({path, "--json"});
  ASSERT_EQ(ran.status, 1) << ran.err;
  EXPECT_EQ(std::count(ran.out.begin(), ran.out.end(), '\n'), 1);
  const Json json = Json::parse(ran.out);
  EXPECT_EQ(json["file"], path);
  EXPECT_EQ(json["schema"], 2);
  EXPECT_EQ(json["evidence"]["operations"][json["evidence"]["culprit"].get<std::size_t>()]["op"],
            "deq");
  EXPECT_EQ(json["evidence"]["possible_results"], Json::parse("[1]"));
}

// A value stays inside because each removal took another one: all of them are needed.
TEST(Output, OperationsThatDifferInTheirResultsAreCountedTogether) {
  std::string text = "{\"history\":1,\"object\":\"bag\"}\n";
  for (int i = 0; i < 3; ++i) text += call(0, "remove") + returns(0);
  for (int v = 0; v <= 40; ++v) text += call(0, "add", std::to_string(v)) + returns(0);
  for (int v = 1; v <= 40; ++v) text += call(0, "remove") + returns(0, std::to_string(v));
  text += call(0, "remove") + returns(0);
  const RunResult ran = check({"-"}, {.input = text});
  EXPECT_EQ(ran.status, 1);
  EXPECT_THAT(ran.out, HasSubstr("more remove() = ..., all needed\n"));
  EXPECT_THAT(ran.out, Not(HasSubstr("and 1 more")));
}

TEST(Output, ProgressIsForTerminalsUnlessAskedFor) {
  const std::string hard = hard_history();
  const RunResult silent = check({"-", "--engine", "wgl", "--timeout", "2.6"}, {.input = hard});
  EXPECT_EQ(silent.err, "");
  EXPECT_TRUE(sooner_or_later([&] {
    const RunResult plain =
        check({"-", "--engine", "wgl", "--timeout", "2.6", "--progress", "plain"}, {.input = hard});
    return plain.err.find("standard input: deciding; 160 operations; 2 s\n") != std::string::npos;
  }));
}

// ---- The rest of the command line ---------------------------------------------------------------

TEST(Check, ReadsStandardInputAndCompressedFiles) {
  EXPECT_EQ(check({"-"}, {.input = file_contents(kViolation)}).status, 1);
  EXPECT_EQ(check({"-"}, {.input = gzip(file_contents(kViolation))}).status, 1);
}

TEST(Check, TheSpecificationOfTheCommandLineWins) {
  // FIFO is violated, LIFO is not.
  const std::string text = kHeader + call(0, "add", "1") + returns(0) + call(0, "add", "2") +
                           returns(0) + call(0, "remove") + returns(0, "2");
  EXPECT_EQ(check({"-"}, {.input = text}).status, 1);
  EXPECT_EQ(check({"-", "--spec", "stack"}, {.input = text}).status, 0);
}

TEST(Check, TheInitialValueOfTheCommandLineWins) {
  const std::string text = kHeader + call(0, "deq") + returns(0, "5");
  EXPECT_EQ(check({"-"}, {.input = text}).status, 1);
  EXPECT_EQ(check({"-", "--initial", "[5]"}, {.input = text}).status, 0);
  expect_error(check({"-", "--initial", "5"}, {.input = text}), 65, "standard input: ", "initial");
}

TEST(Check, EveryEngineIsThere) {
  for (const std::string engine : {"auto", "brute", "wgl", "jit"})
    EXPECT_EQ(check({kViolation, "--engine", engine}).status, 1) << engine;
  EXPECT_EQ(check({kViolation, "--engine", "jit", "--search", "bfs"}).status, 1);
  EXPECT_EQ(check({kViolation, "--engine", "wgl", "--lru", "10", "--no-partition"}).status, 1);
}

// A search names no operations; what is shown of its violation is as little as of that of auto.
TEST(Check, AnEngineByNameProvesWhatAutoProves) {
  std::string text = "{\"history\":1,\"object\":\"register\"}\n";
  int value = 0;
  for (int round = 0; round < 40; ++round) {
    const auto written = [&](int p) { return std::to_string((7 * p + round) % 5); };
    for (int p = 0; p < 20; ++p)
      text += p % 2 == 0 ? call(p, "write", written(p)) : call(p, "read");
    for (int p = 0; p < 20; ++p) {
      if (p % 2 == 0) value = std::stoi(written(p));
      const bool thin_air = round == 38 && p == 1;
      text += p % 2 == 0 ? returns(p) : returns(p, thin_air ? "9" : std::to_string(value));
    }
  }
  for (const std::string engine : {"auto", "hiding", "jit"}) {
    const RunResult ran = check({"-", "--engine", engine, "--json"}, {.input = text});
    const Json evidence = Json::parse(ran.out)["evidence"];
    ASSERT_EQ(ran.status, 1) << engine;
    EXPECT_EQ(evidence["operations"].size(), 1u) << engine;
    EXPECT_EQ(evidence["self_contained"], true) << engine;
    EXPECT_EQ(evidence["minimal"], true) << engine;
  }
}

TEST(Check, KeepGoingDecidesAllPartitions) {
  const std::string file = kGolden + "map_key.jsonl";
  EXPECT_EQ(Json::parse(check({file, "--json"}).out)["scope"]["partitions_total"], 2);
  const Json all = Json::parse(check({file, "--json", "--keep-going"}).out);
  EXPECT_EQ(all["scope"]["skipped"], 0);
  EXPECT_EQ(all["scope"]["partitions_decided"], 2);
  const Json whole = Json::parse(check({file, "--json", "--no-partition"}).out);
  EXPECT_EQ(whole["scope"]["partitions_total"], 1);
}

TEST(Check, WithoutMinimisingThereIsAVerdictAlone) {
  const RunResult ran = check({kViolation, "--no-minimise"});
  EXPECT_EQ(ran.status, 1);
  EXPECT_THAT(ran.out, HasSubstr("--no-minimise"));
  const Json json = Json::parse(check({kViolation, "--no-minimise", "--json"}).out);
  EXPECT_EQ(json["verdict"], "violation");
  EXPECT_EQ(json["evidence"]["kind"], "none");
}

TEST(Check, StatisticsAreAddedNotMixedIn) {
  const RunResult ran = check({kHolds, "--stats"});
  EXPECT_EQ(ran.status, 0);
  EXPECT_THAT(ran.out, HasSubstr("configs"));
}

TEST(Check, TheWitnessIsWrittenOnlyIfThereIsOne) {
  EXPECT_EQ(check({kHolds, "--witness", "order.jsonl"}).status, 0);
  EXPECT_EQ(file_contents(scratch() + "/order.jsonl"),
            "{\"process\":0,\"op\":\"enq\",\"args\":[1],\"result\":null,\"line\":2}\n"
            "{\"process\":1,\"op\":\"deq\",\"args\":[],\"result\":1,\"line\":3}\n");
  EXPECT_EQ(check({kViolation, "--witness", "none.jsonl"}).status, 1);
  EXPECT_FALSE(std::filesystem::exists(scratch() + "/none.jsonl"));
}

TEST(Convert, GoesByNameOrAsTold) {
  const auto convert = [](std::vector<std::string> args) {
    args.insert(args.begin(), "convert");
    return run_plumb({.args = args});
  };
  EXPECT_EQ(convert({kHolds, "out.edn"}).status, 0);
  EXPECT_THAT(file_contents(scratch() + "/out.edn"), HasSubstr(":invoke"));
  EXPECT_THAT(convert({kHolds, "-", "--to", "violin"}).out, HasSubstr("call enq(1)"));
  const RunResult back = convert({"out.edn", "-", "--spec", "queue"});
  EXPECT_EQ(back.status, 0) << back.err;
  EXPECT_EQ(check({"-", "--spec", "queue"}, {.input = back.out}).status, 0);
  expect_error(convert({kHolds, "-", "--to", "xml"}), 64, "--to", "native");
}

TEST(Convert, WhatAFormatCanNotSayLeavesNoFile) {
  const RunResult ran = run_plumb({.args = {"convert", kGolden + "two_objects.jsonl", "x.violin"}});
  expect_error(ran, 65, "", "object");
  EXPECT_FALSE(std::filesystem::exists(scratch() + "/x.violin"));
}

TEST(Quasi, QuestionsThatMakeNoSenseAreWrongUsageAndSayWhatIsPossible) {
  struct Asked {
    std::vector<std::string> options;
    std::string message, possible;
  };
  for (const auto& [options, message, possible] : {
           Asked{{"--quasi", "deq=-1"}, "the factor of deq=-1 is out of range", "from 0 to"},
           Asked{{"--quasi", "deq=99999999999"}, "out of range", "from 0 to 1,000,000"},
           Asked{{"--quasi", "deq=x"}, "--quasi deq=x", "OPERATION=FACTOR"},
           Asked{{"--quasi", "=1"}, "--quasi =1", "OPERATION=FACTOR"},
           Asked{{"--quasi", "deq"}, "has no factor", "--min-k"},
           Asked{{"--quasi", "peek=1"}, "no operation 'peek'", "deq or enq"},
           Asked{{"--quasi", "enq=1"}, "--relaxation strict of enq", "slot, all or def4"},
           Asked{{"--quasi", "deq=1", "--engine", "queue"}, "engine 'queue'", "jit"},
           Asked{{"--quasi", "deq=1", "--relaxation", "slot", "--engine", "jit"},
                 "engine 'jit'",
                 "roundup-literal"},
           Asked{{"--relaxation", "slot"}, "need --quasi", "--quasi OPERATION=FACTOR"},
       }) {
    std::vector<std::string> args = {kViolation};
    args.insert(args.end(), options.begin(), options.end());
    const RunResult ran = check(args);
    expect_error(ran, 64, "", message);
    EXPECT_THAT(ran.err, HasSubstr(possible));
  }
}

TEST(Quasi, TheWitnessIsWrittenAndThenPermuted) {
  const std::string input = kHeader + call(0, "enq", "1") + returns(0) + call(0, "enq", "2") +
                            returns(0) + call(0, "deq") + returns(0, "2") + call(0, "deq") +
                            returns(0, "1");
  const RunResult ran =
      check({"-", "--quasi", "deq=1", "--relaxation", "slot", "--witness", "-", "-o", "/dev/null"},
            {.input = input});
  EXPECT_EQ(ran.status, 0) << ran.err;
  std::vector<int> results, displaced;
  std::istringstream lines(ran.out);
  for (std::string line; std::getline(lines, line);) {
    const Json op = Json::parse(line);
    if (op["op"] == "deq") (op.contains("displaced") ? displaced : results).push_back(op["result"]);
  }
  EXPECT_EQ(results, (std::vector{2, 1}));
  EXPECT_EQ(displaced, (std::vector{1, 2}));
}

}  // namespace
}  // namespace plumb::test
