// SPDX-License-Identifier: MIT
// A counter: `inc`, `dec`, which waits until it is not zero, `set` and `get`.
//
// The mistake of LossyCounter: `inc` and `dec` read and then write, so one of two concurrent
// updates may be lost.
//
// Source: Line-Up (Burckhardt et al., PLDI 2010), section 2.2.1.
//
// Verdict: Counter is linearizable, LossyCounter is not. Smallest test: `inc | inc, get` (one
// preemption): 1.
#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace plumb::objects {

class Counter {
 public:
  void inc() {
    const std::lock_guard lock(mutex_);
    ++count_;
    not_zero_.notify_one();
  }

  void dec() {
    std::unique_lock lock(mutex_);
    not_zero_.wait(lock, [this] { return count_ > 0; });
    --count_;
  }

  void set(int count) {
    const std::lock_guard lock(mutex_);
    count_ = count;
    not_zero_.notify_all();
  }

  int get() const {
    const std::lock_guard lock(mutex_);
    return count_;
  }

 private:
  mutable std::mutex mutex_;
  std::condition_variable not_zero_;
  int count_ = 0;
};

class LossyCounter {
 public:
  void inc() { count_ = count_.load() + 1; }

  void dec() {
    int count = count_.load();
    while (count == 0) {
      std::this_thread::yield();
      count = count_.load();
    }
    count_ = count - 1;
  }

  void set(int count) { count_ = count; }
  int get() const { return count_.load(); }

 private:
  std::atomic<int> count_{0};
};

}  // namespace plumb::objects
