// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdint>
#include <deque>
#include <filesystem>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "../../objects/queues/michael_scott_queue.hpp"
#include "plumb/check.hpp"
#include "plumb/formats.hpp"
#include "plumb/recorder.hpp"

namespace plumb {
namespace {

using Queue = objects::MichaelScottQueue<std::int64_t>;

TEST(MichaelScottQueue, OneThreadFindsAQueue) {
  Queue queue;
  std::deque<std::int64_t> model;
  std::mt19937 random(7);
  for (std::int64_t i = 0; i < 20000; ++i) {
    if (random() % 2 == 0) {
      queue.enq(i);
      model.push_back(i);
    } else if (model.empty()) {
      ASSERT_EQ(queue.deq(), std::nullopt);
    } else {
      ASSERT_EQ(queue.deq(), model.front());
      model.pop_front();
    }
  }
}

// Every thread dequeues after it has enqueued, so that there are never more than four values in the
// queue: where overlapping enqueues pile up, a search over their orders has no end.
TEST(MichaelScottQueue, FourThreadsFindAQueue) {
  constexpr std::int64_t kThreads = 4, kOperations = 2000;
  const std::string file = std::filesystem::temp_directory_path() /
                           ("plumb-queues-test-" + std::to_string(getpid()) + ".jsonl");
  for (unsigned seed = 1; seed <= 5; ++seed) {
    {
      Queue queue;
      Recorder recorder(file, {.object = "queue"});
      std::vector<std::thread> threads;
      for (std::int64_t t = 0; t < kThreads; ++t)
        threads.emplace_back([&queue, t, seed, process = recorder.process()]() mutable {
          std::mt19937 random(seed * 101 + static_cast<unsigned>(t));
          for (std::int64_t i = 0; i < kOperations; ++i) {
            const std::int64_t value = t * kOperations + i;
            if (i % 2 == 0) process.record("enq", value, [&] { queue.enq(value); });
            else process.record("deq", [&] { return queue.deq(); });
            if (random() % 64 == 0) std::this_thread::yield();
          }
        });
      for (std::thread& thread : threads) thread.join();
    }
    const Result<History> history = read_history(file);
    ASSERT_TRUE(history.ok()) << history.error().to_string();
    ASSERT_EQ(history->size(), kThreads * kOperations);
    const Result<CheckReport> report =
        check(*history, {.timeout_seconds = 600, .memory_bytes = std::size_t{2} << 30});
    ASSERT_TRUE(report.ok()) << report.error().to_string();
    EXPECT_EQ(report->verdict, Verdict::holds) << "seed " << seed;
  }
  std::filesystem::remove(file);
}

}  // namespace
}  // namespace plumb
