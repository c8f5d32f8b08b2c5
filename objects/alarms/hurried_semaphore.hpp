// SPDX-License-Identifier: MIT
// A semaphore that reads the count before it locks: at zero it does not take the lock.
//
// Source: Line-Up (Burckhardt et al., PLDI 2010), section 5.6, the second of four reasons why
// correct code is not conflict-serializable: "The code contains a timing optimization (similar to
// double-checked locking) that does not affect correctness, but breaks serializability."
//
// Verdict: linearizable.
#pragma once

#include <atomic>
#include <mutex>

namespace plumb::objects {

class HurriedSemaphore {
 public:
  void release() {
    const std::lock_guard lock(mutex_);
    ++count_;
  }

  /// Returns: whether the count was lowered.
  bool try_wait() {
    if (count_.load() == 0) return false;
    const std::lock_guard lock(mutex_);
    if (count_.load() == 0) return false;
    --count_;
    return true;
  }

 private:
  std::mutex mutex_;
  std::atomic<int> count_{0};  // written under the lock
};

}  // namespace plumb::objects
