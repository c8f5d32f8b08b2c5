// SPDX-License-Identifier: MIT
// plumb check - and --follow: verdicts while the events come.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <chrono>
#include <fstream>
#include <thread>

#include "cli/run_plumb.hpp"

namespace plumb::test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

const std::string kQueue = "{\"history\":1,\"object\":\"queue\"}\n";

std::string call(int process, const std::string& op, const std::string& args = "") {
  return fmt::format("{{\"type\":\"call\",\"process\":{},\"op\":\"{}\",\"args\":[{}]}}\n", process,
                     op, args);
}
std::string returns(int process, const std::string& result = "null") {
  return fmt::format("{{\"type\":\"return\",\"process\":{},\"result\":{}}}\n", process, result);
}
std::string pair(int i) {
  return call(0, "enq", std::to_string(i)) + call(1, "deq") + returns(0) +
         returns(1, std::to_string(i));
}

TEST(Stream, AViolationIsToldWhileTheInputIsStillOpen) {
  std::string text = kQueue;
  for (int i = 0; i < 100; ++i) text += pair(i);
  text += call(0, "enq", "1000") + returns(0) + call(0, "enq", "1001") + returns(0) +
          call(1, "deq") + returns(1, "1001");
  const RunResult ran = run_plumb({.args = {"check", "-"}, .input = text, .keep_input_open = true});
  EXPECT_EQ(ran.status, 1);
  EXPECT_THAT(ran.out, StartsWith("VIOLATION  standard input: not linearizable"));
  EXPECT_THAT(ran.out, HasSubstr("a stream"));
  EXPECT_THAT(ran.out, HasSubstr("enq(1000) had returned before enq(1001) was called"));
  EXPECT_THAT(ran.out, HasSubstr("   407   "));  // the line of the impossible return
}

TEST(Stream, InterruptedSaysHowFarItCame) {
  std::string text = kQueue;
  for (int i = 0; i < 100; ++i) text += pair(i);
  const RunResult ran = run_plumb({.args = {"check", "-", "--json"},
                                   .input = text,
                                   .signal_after = 0.6,
                                   .signal = SIGINT,
                                   .keep_input_open = true});
  EXPECT_EQ(ran.status, 130);
  const auto report = nlohmann::json::parse(ran.out);
  EXPECT_EQ(report["verdict"], "undecided");
  EXPECT_EQ(report["scope"]["stream"]["events"], 400);
  EXPECT_EQ(report["scope"]["stream"]["lines"], 401);
  EXPECT_EQ(report["scope"]["notes"][0], "linearizable up to line 401");
}

TEST(Stream, AllOfTheInputAtOnceIsAFileAndHasAWitness) {
  const RunResult ran = run_plumb({.args = {"check", "-", "--json"}, .input = kQueue + pair(1)});
  EXPECT_EQ(ran.status, 0);
  const auto report = nlohmann::json::parse(ran.out);
  EXPECT_EQ(report["evidence"]["kind"], "witness");
  EXPECT_FALSE(report["scope"].contains("stream"));
}

// More than is read at once, so that it is one.
std::string long_stream(int pairs) {
  std::string text = kQueue;
  for (int i = 0; i < pairs; ++i) text += pair(i);
  return text;
}

TEST(Stream, LongInputIsDecidedAsItComes) {
  const RunResult ran = run_plumb({.args = {"check", "-", "--json"}, .input = long_stream(20'000)});
  EXPECT_EQ(ran.status, 0);
  const auto report = nlohmann::json::parse(ran.out);
  EXPECT_EQ(report["verdict"], "holds");
  EXPECT_EQ(report["scope"]["stream"]["events"], 80'000);
  EXPECT_EQ(report["evidence"]["kind"], "none");
}

TEST(Stream, BadInputNamesTheLineAndWhatWasDecidedBeforeIsSaid) {
  const std::string good = long_stream(10'000);  // 40,001 lines
  for (const auto& [bad, what] : std::vector<std::pair<std::string, std::string>>{
           {"garbage\n", "standard input:40002: "},
           {returns(7), "standard input:40002: process 7 returns"},
           {"{\"type\":\"call\",\"proc", "standard input:40002: "},
           {call(0, "enq", "1, 2"), "standard input:40002: enq takes 1 argument"},
           {call(0, "fly"), "standard input:40002: unknown operation 'fly'"}}) {
    const RunResult ran = run_plumb({.args = {"check", "-"}, .input = good + bad});
    EXPECT_EQ(ran.status, 65) << bad;
    EXPECT_THAT(ran.err, HasSubstr(what)) << bad;
    EXPECT_THAT(ran.out, StartsWith("HOLDS      standard input: linearizable up to line 40,00"))
        << bad;
  }
}

// More than is kept, in 17 lines.
std::string many_blanks() {
  std::string text;
  for (int i = 0; i < 17; ++i) text += std::string(std::size_t{1} << 20, ' ') + "\n";
  return text;
}

TEST(Stream, AValueThatComesAgainWhileItIsInsideIsUndecidedFromThere) {
  const RunResult ran = run_plumb({.args = {"check", "-", "--json"},
                                   .input = long_stream(100) + many_blanks() + call(0, "enq", "7") +
                                            returns(0) + call(0, "enq", "7") + returns(0)});
  EXPECT_EQ(ran.status, 2);
  const auto report = nlohmann::json::parse(ran.out);
  EXPECT_EQ(report["reason"], "7 is added again while it is inside");
  EXPECT_EQ(report["stopped"], "not applicable");
  EXPECT_EQ(report["scope"]["stream"]["line"], 421);
}

std::string header(const std::string& object) {
  return fmt::format("{{\"history\":1,\"object\":\"{}\"}}\n", object);
}
std::string timed(const std::string& op, const std::string& args, const std::string& result,
                  int called) {
  return fmt::format(
      "{{\"process\":0,\"op\":\"{}\",\"args\":[{}],\"result\":{},\"call\":{},"
      "\"return\":{}}}\n",
      op, args, result, called, called + 1);
}

// Each is undecided, or an error, as long as it is a stream.
TEST(Stream, AWriterThatPausesDoesNotChangeTheVerdict) {
  const std::string stuck = "{\"type\":\"stuck\"}\n";
  const std::string twice =
      call(0, "enq", "7") + returns(0) + call(0, "enq", "7") + returns(0) + call(1, "deq");
  for (const auto& [text, verdict] : std::vector<std::pair<std::string, std::string>>{
           {header("mutex") + call(0, "lock") + returns(0) + call(1, "lock") + stuck, "holds"},
           {header("counter") + call(0, "inc") + returns(0) + call(0, "inc") + stuck, "violation"},
           {header("map") + call(0, "put", "1, 2") + returns(0) + call(1, "size") + returns(1, "1"),
            "holds"},
           {kQueue + twice + returns(1, "7"), "holds"},
           {kQueue + twice + returns(1, "8"), "violation"},
           {kQueue + timed("enq", "7", "null", 1) + timed("deq", "", "7", 3), "holds"}}) {
    const RunResult whole =
        run_plumb({.args = {"check", write_file("whole.jsonl", text), "--json"}});
    const RunResult ran = run_plumb(
        {.args = {"check", "-", "--json"}, .input = text, .pause_at = text.find('\n') + 1});
    EXPECT_EQ(ran.status, whole.status) << text << ran.err;
    const auto expected = nlohmann::json::parse(whole.out);
    const auto report = nlohmann::json::parse(ran.out);
    EXPECT_EQ(report["verdict"].get<std::string>(), verdict) << text;
    EXPECT_EQ(expected["verdict"].get<std::string>(), verdict) << text;
    EXPECT_EQ(report["evidence"]["kind"], expected["evidence"]["kind"]) << text;
    EXPECT_FALSE(report["scope"].contains("stream")) << text;
  }
}

#ifndef PLUMB_SANITIZED  // a sanitizer keeps what is freed
TEST(Stream, MemoryStaysFlat) {
  const auto peak = [](int pairs) {
    const RunResult ran =
        run_plumb({.args = {"check", "-", "--json"}, .input = long_stream(pairs)});
    return nlohmann::json::parse(ran.out)["peak_bytes"].get<double>();
  };
  EXPECT_LT(peak(300'000), 1.3 * peak(100'000));  // both are more than is kept
}
#endif

TEST(Stream, FollowsAFileThatGrows) {
  const std::string path = write_file("growing.jsonl", kQueue + pair(1));
  std::thread writer([&] {
    std::ofstream out(path, std::ios::app);
    for (int i = 2; i < 6; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(60));
      out << pair(i) << std::flush;
    }
    out << call(0, "deq") + returns(0, "99") << std::flush;
  });
  const RunResult ran = run_plumb({.args = {"check", path, "--follow"}});
  writer.join();
  EXPECT_EQ(ran.status, 1);
  EXPECT_THAT(ran.out, HasSubstr("99"));
}

}  // namespace
}  // namespace plumb::test
