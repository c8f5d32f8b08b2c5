// SPDX-License-Identifier: MIT
// SemaphoreSlim of .NET 4.0: a counter that `release` raises, and that `wait` lowers as soon as it
// is not zero. It is written under a lock and read without.
//
// Source: Line-Up (Burckhardt et al., PLDI 2010), Table 1.
//
// Verdict: linearizable.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>

namespace plumb::objects {

class SemaphoreSlim {
 public:
  explicit SemaphoreSlim(int count = 0) : count_(count) {}

  int current_count() const { return count_.load(); }

  /// Returns: the count before.
  int release(int n = 1) {
    const std::lock_guard lock(mutex_);
    const int before = count_.fetch_add(n);
    if (n == 1) changed_.notify_one();
    else changed_.notify_all();
    return before;
  }

  void wait() {
    wait_unless([] { return false; });
  }

  /// `Wait(0)`: does not wait. Returns: whether the count was lowered.
  bool try_wait() {
    if (count_.load() == 0) return false;
    const std::lock_guard lock(mutex_);
    return lower();
  }

  /// Waits no longer than the time-out.
  bool wait_for(std::chrono::milliseconds time) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, time, [this] { return count_.load() > 0; });
    return lower();
  }

  /// Waits until the count is lowered (true), or until there is nothing to lower and `gives_up()`.
  /// A caller that makes that true calls `wake_all`.
  template <class GivesUp>
  bool wait_unless(GivesUp gives_up) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return count_.load() > 0 || gives_up(); });
    return lower();
  }

  void wake_all() {
    const std::lock_guard lock(mutex_);
    changed_.notify_all();
  }

 private:
  bool lower() {
    if (count_.load() == 0) return false;
    --count_;
    return true;
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::atomic<int> count_;
};

}  // namespace plumb::objects
