// SPDX-License-Identifier: MIT
#include "plumb/recorder.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <sstream>
#include <thread>
#include <tuple>

#include "plumb/formats.hpp"
#include "plumb/record.hpp"

namespace plumb {
namespace {

/// A type of the user's, which cannot always be converted.
struct Celsius {
  int degrees;
};

}  // namespace

template <>
struct Convert<Celsius> {
  static Value to(const Celsius& c) {
    if (c.degrees < -273) throw std::domain_error("too cold");
    return Value::list({Value::integer(c.degrees), Value::string("C")});
  }
};

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

class RecorderTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = fs::temp_directory_path() / "plumb-recorder-test-XXXXXX";
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
    file_ = folder_ / "run.jsonl";
  }
  void TearDown() override { fs::remove_all(folder_); }
  std::string text() const {
    std::ostringstream out;
    out << std::ifstream(file_).rdbuf();
    return out.str();
  }
  std::vector<Json> lines() const {
    std::vector<Json> all;
    std::istringstream in(text());
    for (std::string line; std::getline(in, line);) all.push_back(Json::parse(line));
    return all;
  }

  fs::path folder_;
  std::string file_;
};

TEST_F(RecorderTest, WritesNativeEventsInOrder) {
  {
    Recorder recorder(file_, {.object = "register", .initial = Value::integer(3)});
    auto a = recorder.process();
    auto b = recorder.process();
    auto write = a.call("write", 7, "x\n");
    EXPECT_EQ(b.record("read", [] { return std::optional<int>(); }), std::nullopt);
    write.returned();
    EXPECT_EQ(a.record("cas", 1, 2, [] { return true; }), true);
    a.record("clear", [] {});
  }
  EXPECT_EQ(text(),
            R"({"history":1,"object":"register","initial":3}
{"type":"call","process":0,"op":"write","args":[7,"x\n"]}
{"type":"call","process":1,"op":"read","args":[]}
{"type":"return","process":1,"result":null}
{"type":"return","process":0,"result":null}
{"type":"call","process":0,"op":"cas","args":[1,2]}
{"type":"return","process":0,"result":true}
{"type":"call","process":0,"op":"clear","args":[]}
{"type":"return","process":0,"result":null}
)");
}

TEST_F(RecorderTest, AfterAnUnknownOutcomeAThreadHasANewNumber) {
  {
    Recorder recorder(file_);
    auto process = recorder.process();
    EXPECT_THROW(process.record("write", 1, []() -> int { throw std::runtime_error("timeout"); }),
                 std::runtime_error);
    process.record("read", [] { return 1; });
    process.call("write", 2);  // never ends
    process.record("read", [] { return 2; });
  }
  EXPECT_EQ(text(),
            R"({"history":1}
{"type":"call","process":0,"op":"write","args":[1]}
{"type":"crash","process":0}
{"type":"call","process":1,"op":"read","args":[]}
{"type":"return","process":1,"result":1}
{"type":"call","process":1,"op":"write","args":[2]}
{"type":"call","process":2,"op":"read","args":[]}
{"type":"return","process":2,"result":2}
)");
}

TEST_F(RecorderTest, AReferenceThatIsReturnedStaysOne) {
  Recorder recorder(file_);
  auto process = recorder.process();
  int x = 4;
  int& y = process.record("read", [&]() -> int& { return x; });
  EXPECT_EQ(&x, &y);
}

TEST_F(RecorderTest, AFlushWritesWhatWasRecordedSoFar) {
  Recorder recorder(file_);
  auto process = recorder.process();
  process.record("inc", [] {});
  EXPECT_TRUE(recorder.flush().ok());
  EXPECT_EQ(lines().size(), 3u);
  process.call("inc");
  EXPECT_TRUE(recorder.flush().ok());
  EXPECT_EQ(lines().size(), 4u);
}

TEST_F(RecorderTest, AFileThatCanNotBeWrittenIsAnError) {
  Recorder recorder(folder_ / "no/such/folder.jsonl");
  recorder.process().record("inc", [] {});
  const Status status = recorder.flush();
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().kind, ErrorKind::missing_file);
}

// Threads count with an atomic: what each saw must fit between what had surely happened before its
// call was recorded and what could have happened until its return was.
TEST_F(RecorderTest, ManyThreadsAndFlushesKeepRealTimeOrder) {
  constexpr int kThreads = 4, kOperations = 20000;
  {
    Recorder recorder(file_);
    std::atomic<int> counter{0};
    std::atomic<int> running{kThreads};
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; ++t)
      threads.emplace_back([&, process = recorder.process()]() mutable {
        for (int i = 0; i < kOperations; ++i)
          process.record("fetch_inc", [&] { return counter.fetch_add(1); });
        --running;
      });
    while (running) EXPECT_TRUE(recorder.flush().ok());
    for (std::thread& thread : threads) thread.join();
  }
  const auto events = lines();
  ASSERT_EQ(events.size(), 1u + 2 * kThreads * kOperations);
  std::map<int, int> returned_before_call;
  int called = 0, returned = 0;
  for (std::size_t i = 1; i < events.size(); ++i) {
    const int process = events[i]["process"];
    if (events[i]["type"] == "call") {
      ++called;
      returned_before_call[process] = returned;
    } else {
      const int result = events[i]["result"];
      ASSERT_GE(result, returned_before_call.at(process));
      ASSERT_LT(result, called);
      ++returned;
    }
  }
}

TEST_F(RecorderTest, AHeaderIsThereWithoutEvents) {
  Recorder recorder(file_, {.object = "queue"});
  EXPECT_TRUE(recorder.flush().ok());
  EXPECT_EQ(text(), "{\"history\":1,\"object\":\"queue\"}\n");
}

TEST_F(RecorderTest, OnlyTheFirstEndOfAnOperationCounts) {
  {
    Recorder recorder(file_);
    auto operation = recorder.process().call("inc");
    operation.returned(1);
    operation.returned(2);
    operation.unknown();
  }
  EXPECT_EQ(lines().size(), 3u);
  EXPECT_EQ(lines().back()["result"], 1);
}

// Every kind of value must read as if it had been made a Value and printed.
TEST_F(RecorderTest, ValuesAreWrittenAsTheyAre) {
  std::vector<std::string> expected;
  {
    Recorder recorder(file_);
    auto process = recorder.process();
    const auto both = [&]<class T>(const T& x) {
      process.call("f", x, 1).returned(x);
      expected.push_back(Recorder::Operation::to_value(x).to_string());
    };
    for (int shift = 0; shift < 63; ++shift)
      for (const std::int64_t sign : {-1, 1})
        for (const std::int64_t near : {-1, 0, 1}) both(sign * (std::int64_t{1} << shift) + near);
    both(std::numeric_limits<std::int64_t>::min());
    both(std::numeric_limits<std::int64_t>::max());
    both(std::uint8_t{255});
    both('a');
    both(true);
    both(false);
    both(0.0);
    both(-1.5f);
    both(1e300);
    both(12345678901234567890.0);
    for (std::size_t size = 0; size < 40; ++size) {
      both(std::string(size, 'x'));
      both(std::string(size, '\x01'));
      both(std::string(size, '"') + "\n");
    }
    both("a literal");
    both(std::string_view("\xc3\xa9t\xc3\xa9"));
    both(std::optional<std::string>());
    both(std::optional<std::string>("some"));
    both(std::vector<int>());
    both(std::vector<std::vector<std::string>>{{}, {"a", "bcdefghijkl"}, {""}});
    both(std::vector<bool>{true, false});
    both(std::set<std::pair<int, std::optional<bool>>>{{1, true}, {2, {}}});
    both(std::tuple<>());
    both(std::tuple(1, std::string("two"), std::vector<double>{3.0}));
    both(Value::nil());
    both(Value::list({Value::string("deep"), Value::list({Value::opaque("{\"a\":1}")})}));
    both(Value::string(std::string(1000, 'v')));
    both(Celsius{20});
    both(std::vector<Celsius>{{1}, {2}});
  }
  std::istringstream in(text());
  std::string line;
  std::getline(in, line);
  for (const std::string& value : expected) {
    std::getline(in, line);
    EXPECT_EQ(line, R"({"type":"call","process":0,"op":"f","args":[)" + value + ",1]}");
    std::getline(in, line);
    EXPECT_EQ(line, R"({"type":"return","process":0,"result":)" + value + "}");
  }
  EXPECT_FALSE(std::getline(in, line));
}

TEST_F(RecorderTest, StringsAndListsMayBeLongerThanTheBuffer) {
  {
    Recorder recorder(file_, {.buffer_bytes = 4096});
    auto process = recorder.process();
    for (std::size_t size = 0; size < 3000; size += 7)
      process.call(std::string(size / 2 + 1, 'm'), std::string(size, 'a'))
          .returned(std::vector<int>(size, 5));
    process.call("big").returned(std::string(30u << 20, 'b'));
    process.call("big").returned(std::string(50u << 20, 'b'));  // both together are too much
    process.call("small").returned(1);
  }
  std::ifstream in(file_);
  std::string line;
  std::getline(in, line);
  for (std::size_t size = 0; size < 3000; size += 7) {
    std::getline(in, line);
    const Json call = Json::parse(line);
    ASSERT_EQ(call["op"], std::string(size / 2 + 1, 'm'));
    ASSERT_EQ(call["args"], Json::array({std::string(size, 'a')}));
    std::getline(in, line);
    ASSERT_EQ(Json::parse(line)["result"], std::vector<int>(size, 5));
  }
  for (const std::size_t megabytes : {30, 50}) {
    std::getline(in, line);
    std::getline(in, line);
    EXPECT_EQ(line.size(), (megabytes << 20) +
                               std::string(R"({"type":"return","process":0,"result":""})").size());
  }
  std::getline(in, line);
  std::getline(in, line);
  EXPECT_EQ(line, R"({"type":"return","process":0,"result":1})");
  EXPECT_FALSE(std::getline(in, line));
}

TEST_F(RecorderTest, AResultThatCanNotBeConvertedIsUnknown) {
  {
    Recorder recorder(file_);
    auto process = recorder.process();
    EXPECT_THROW(process.record("measure", [] { return Celsius{-300}; }), std::domain_error);
    EXPECT_THROW(process.call("heat", Celsius{-300}), std::domain_error);  // was not called
    process.record("read", [] { return 1; });
  }
  EXPECT_EQ(text(),
            R"({"history":1}
{"type":"call","process":0,"op":"measure","args":[]}
{"type":"crash","process":0}
{"type":"call","process":1,"op":"read","args":[]}
{"type":"return","process":1,"result":1}
)");
}

TEST_F(RecorderTest, CompressedIfTheNameSaysSo) {
  file_ += ".gz";
  std::optional<Recorder> recorder;
  recorder.emplace(file_, RecorderOptions{.object = "counter"});
  auto process = recorder->process();
  for (int i = 0; i < 1000; ++i) process.record("inc", [] {});
  EXPECT_TRUE(recorder->flush().ok());
  EXPECT_EQ(text().substr(0, 2), "\x1f\x8b");
  EXPECT_GT(text().size(), 100u) << "a flush writes";
  EXPECT_LT(text().size(), 20000u);
  for (int i = 0; i < 1000; ++i) process.record("inc", [] {});
  recorder.reset();
  const auto history = read_history(file_);
  ASSERT_TRUE(history.ok()) << history.error().to_string();
  EXPECT_EQ(history->size(), 2000u);
}

TEST_F(RecorderTest, ManyProcessesOfFewEvents) {
  {
    Recorder recorder(file_);
    std::vector<Recorder::Process> processes;
    for (int i = 0; i < 500; ++i) processes.push_back(recorder.process());
    for (int round = 0; round < 5; ++round)
      for (std::size_t i = 0; i < processes.size(); ++i)
        processes[i * 7 % 500].record("f", i, [] {});
  }
  const auto events = lines();
  ASSERT_EQ(events.size(), 1u + 2 * 5 * 500);
  for (std::size_t i = 0; i < 2500; ++i) {
    ASSERT_EQ(events[1 + 2 * i]["process"], i % 500 * 7 % 500);
    ASSERT_EQ(events[1 + 2 * i]["args"][0], i % 500);
  }
}

// A token goes round: whoever has it records an operation. However small the buffers, however often
// a thread has to wait for room, no operation may appear to overlap another.
TEST_F(RecorderTest, WhatReturnedBeforeACallComesBeforeIt) {
  constexpr int kThreads = 3, kRounds = 3000;
  {
    Recorder recorder(file_, {.buffer_bytes = 4096});
    std::atomic<int> token{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; ++t)
      threads.emplace_back([&, t, process = recorder.process()]() mutable {
        for (int round = 0; round < kRounds; ++round) {
          const int turn = round * kThreads + t;
          while (token.load(std::memory_order_acquire) != turn) std::this_thread::yield();
          process.record("turn", turn, [] {});
          token.store(turn + 1, std::memory_order_release);
        }
      });
    for (std::thread& thread : threads) thread.join();
  }
  const auto events = lines();
  ASSERT_EQ(events.size(), 1u + 2 * kThreads * kRounds);
  for (int i = 0; i < kThreads * kRounds; ++i) {
    const auto at = static_cast<std::size_t>(1 + 2 * i);
    ASSERT_EQ(events[at]["args"], Json::array({i}));
    ASSERT_EQ(events[at + 1]["type"], "return");
    ASSERT_EQ(events[at + 1]["process"], events[at]["process"]);
  }
}

TEST_F(RecorderTest, ManyThreadsWithUnknownOutcomes) {
  constexpr int kThreads = 4, kOperations = 3000;
  {
    Recorder recorder(file_, {.buffer_bytes = 4096});
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; ++t)
      threads.emplace_back([&, process = recorder.process()]() mutable {
        for (int i = 0; i < kOperations; ++i) {
          try {
            process.record("f", i, std::string(static_cast<std::size_t>(i % 50), 's'), [&] {
              if (i % 10 == 0) throw i;
              return i;
            });
          } catch (int) {}
        }
      });
    for (std::thread& thread : threads) thread.join();
  }
  std::map<int, std::optional<int>> open;  // process, and what it called last
  int crashed = 0;
  for (const Json& event : lines()) {
    if (!event.contains("type")) continue;
    const int process = event["process"];
    if (event["type"] == "call") {
      ASSERT_FALSE(open[process].has_value());
      open[process] = event["args"][0];
      ASSERT_EQ(event["args"][1].get<std::string>().size(), *open[process] % 50);
    } else if (event["type"] == "return") {
      ASSERT_EQ(event["result"], open.at(process));
      open[process].reset();
    } else {
      ASSERT_EQ(*open.at(process) % 10, 0);  // stays open forever
      ++crashed;
    }
  }
  EXPECT_EQ(crashed, kThreads * kOperations / 10);
}

class RecorderPipeTest : public RecorderTest {
 protected:
  void SetUp() override {
    RecorderTest::SetUp();
    ASSERT_EQ(pipe2(ends_, O_CLOEXEC), 0);
  }
  void TearDown() override {
    close_end(0);
    close_end(1);
    RecorderTest::TearDown();
  }
  void close_end(int i) {
    if (ends_[i] >= 0) close(ends_[i]);
    ends_[i] = -1;
  }
  /// The next line, or nothing: the other end is closed, or it takes too long.
  std::optional<std::string> line() {
    while (true) {
      if (const std::size_t end = read_.find('\n', at_); end != std::string::npos) {
        std::string found = read_.substr(at_, end - at_);
        at_ = end + 1;
        return found;
      }
      read_.erase(0, at_);
      at_ = 0;
      pollfd ready{ends_[0], POLLIN, 0};
      if (poll(&ready, 1, 30000) != 1) return {};
      char block[4096];
      const ssize_t size = read(ends_[0], block, sizeof block);
      if (size <= 0) return {};
      read_.append(block, static_cast<std::size_t>(size));
    }
  }

  int ends_[2] = {-1, -1};
  std::string read_;
  std::size_t at_ = 0;
};

TEST_F(RecorderPipeTest, EventsArriveWhileTheProgramRuns) {
  Recorder recorder(ends_[1], {.object = "counter"});
  EXPECT_EQ(line(), R"({"history":1,"object":"counter"})");
  auto process = recorder.process();
  for (int i = 0; i < 20; ++i) {
    auto operation = process.call("inc", i);
    EXPECT_EQ(line(),
              R"({"type":"call","process":0,"op":"inc","args":[)" + std::to_string(i) + "]}");
    operation.returned();
    EXPECT_EQ(line(), R"({"type":"return","process":0,"result":null})");
  }
  auto later = recorder.process();
  later.call("read");
  EXPECT_EQ(line(), R"({"type":"call","process":1,"op":"read","args":[]})");
}

TEST_F(RecorderPipeTest, ADashIsStandardOutput) {
  std::fflush(stdout);
  const int before = dup(STDOUT_FILENO);
  dup2(ends_[1], STDOUT_FILENO);
  {
    Recorder recorder("-");
    recorder.process().call("inc");
  }
  dup2(before, STDOUT_FILENO);
  close(before);
  EXPECT_EQ(line(), R"({"history":1})");
  EXPECT_EQ(line(), R"({"type":"call","process":0,"op":"inc","args":[]})");
}

TEST_F(RecorderPipeTest, ThreadsWaitForAReaderAndGoOn) {
  constexpr int kThreads = 3, kOperations = 20000;
  std::atomic<int> recorded{0};
  fcntl(ends_[1], F_SETFL, O_NONBLOCK);  // the recorder waits all the same
  std::optional<Recorder> recorder;
  recorder.emplace(ends_[1], RecorderOptions{.buffer_bytes = 4096});
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t)
    threads.emplace_back([&, process = recorder->process()]() mutable {
      for (int i = 0; i < kOperations; ++i) {
        process.record("fetch_inc", [&] { return recorded.fetch_add(1); });
        if (i % 1000 == 0) process.call(std::string(3000, 'l')).returned();
      }
    });
  // They stop when pipe and buffers are full, which is long before the end.
  for (int last = -1; recorded != last;) {
    last = recorded;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  EXPECT_LT(recorded, kThreads * kOperations / 2);
  std::thread closing([&] {
    for (std::thread& thread : threads) thread.join();
    recorder.reset();
    close_end(1);
  });
  int returned = 0;
  ASSERT_EQ(line(), R"({"history":1})");
  std::map<int, int> returned_before_call;
  while (const auto event = line()) {
    const Json json = Json::parse(*event);
    if (json["type"] == "call") returned_before_call[json["process"]] = returned;
    else if (!json["result"].is_null()) {
      ASSERT_GE(json["result"], returned_before_call.at(json["process"]));
      ++returned;
    }
  }
  closing.join();
  EXPECT_EQ(returned, kThreads * kOperations);
}

TEST_F(RecorderPipeTest, AReaderThatGoesAwayStopsNobody) {
  Recorder recorder(ends_[1], {.buffer_bytes = 4096});
  auto process = recorder.process();
  EXPECT_TRUE(line().has_value());
  close_end(0);
  for (int i = 0; i < 50000; ++i) process.record("inc", i, [] {});
  const Status status = recorder.flush();
  ASSERT_FALSE(status.ok());
  EXPECT_THAT(status.error().to_string(), testing::HasSubstr("Broken pipe"));
}

TEST_F(RecorderTest, AFullDiskIsAnError) {
  for (const bool compressed : {false, true}) {
    const fs::path full = folder_ / (compressed ? "full.gz" : "full");
    fs::create_symlink("/dev/full", full);
    Recorder recorder(full);
    auto process = recorder.process();
    for (int i = 0; i < 5000; ++i) process.record("inc", i, [] {});
    const Status status = recorder.flush();
    ASSERT_FALSE(status.ok()) << full;
    EXPECT_EQ(status.error().kind, ErrorKind::internal);
    EXPECT_THAT(status.error().to_string(), testing::HasSubstr("could not be written"));
  }
}

// No fixture: the child would make a folder and never remove it.
TEST(RecorderDeathTest, AnExceptionThatNobodyCatchesLosesNothing) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const std::string file = fs::temp_directory_path() / "plumb-recorder-death-test.jsonl";
  EXPECT_DEATH(
      {
        Recorder recorder(file);
        auto process = recorder.process();
        process.record("inc", [] {});
        std::thread([&] { process.record("dec", []() { throw 1; }); }).join();
      },
      "");
  std::ifstream in(file);
  int lines = 0;
  for (std::string line; std::getline(in, line);) ++lines;
  EXPECT_EQ(lines, 5);
  fs::remove(file);
}

}  // namespace
}  // namespace plumb
