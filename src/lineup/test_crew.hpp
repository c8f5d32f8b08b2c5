// SPDX-License-Identifier: MIT
// Several threads that run tests ahead of who takes their results. These are taken in the order of
// the tests, on one thread, so nothing that is made of them depends on who was faster.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "lineup/campaign.hpp"

namespace plumb::lineup {

class TestCrew {
 public:
  /// The threads start here. Where the system refuses to start so many, fewer do the same.
  explicit TestCrew(Runners& runners);
  TestCrew(const TestCrew&) = delete;
  TestCrew& operator=(const TestCrew&) = delete;
  ~TestCrew();

  using Job = std::function<void(std::size_t item, Runner& runner)>;
  using Take = std::function<bool(std::size_t item)>;  // false: enough
  /// Calls job(item, ...) for every item below `items`, each once, from any thread; and on this
  /// thread take(item) after it, in order. Returns how many were taken: fewer if a call returned
  /// false, and then the other jobs are stopped and their items are not taken; or if no thread is
  /// there. The first exception is thrown again here.
  std::size_t run(std::size_t items, const Job& job, const Take& take);

 private:
  void work(unsigned number);
  bool has_work() const;

  Runners& runners_;
  std::mutex mutex_;
  std::condition_variable begin_, end_;
  const Job* job_ = nullptr;
  std::size_t items_ = 0, next_ = 0, taken_ = 0, busy_ = 0;
  std::size_t alive_ = 0;   // threads that have a runner, or are about to
  std::vector<bool> done_;  // by item
  bool is_over_ = false;
  std::exception_ptr failure_;
  std::vector<std::thread> threads_;
};

}  // namespace plumb::lineup
