// SPDX-License-Identifier: MIT
#include "plumb/recorder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <thread>

namespace plumb {
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

using RecorderDeathTest = RecorderTest;

TEST_F(RecorderDeathTest, AnExceptionThatNobodyCatchesLosesNothing) {
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
  file_ = file;
  EXPECT_EQ(lines().size(), 5u);
  fs::remove(file);
}

}  // namespace
}  // namespace plumb
