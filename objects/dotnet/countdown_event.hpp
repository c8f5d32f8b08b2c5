// SPDX-License-Identifier: MIT
// CountdownEvent of .NET 4.0: counts down to zero and then releases all waiting threads.
//
// The thread that lowers the count to zero sets an event afterwards. In between, the count is
// already zero, so a waiter reads the count first. The count stays at zero: nothing can be added.
//
// Source: Line-Up (Burckhardt et al., PLDI 2010), Table 1.
//
// Verdict: linearizable.
#pragma once

#include <atomic>
#include <stdexcept>

#include "manual_reset_event.hpp"

namespace plumb::objects {

class CountdownEvent {
 public:
  explicit CountdownEvent(int count = 2) : count_(count) {
    if (count == 0) zero_.set();
  }

  int current_count() const { return count_.load(); }
  bool is_set() const { return count_.load() == 0; }

  /// Returns: whether this made it zero. Throws: std::logic_error if less than `n` are left.
  bool signal(int n = 1) {
    int before = count_.load();
    do {
      if (before < n) throw std::logic_error("there are fewer left");
    } while (!count_.compare_exchange_weak(before, before - n));
    if (before > n) return false;
    zero_.set();
    return true;
  }

  /// Returns: false if it is already zero.
  bool try_add_count(int n = 1) {
    int before = count_.load();
    do {
      if (before == 0) return false;
    } while (!count_.compare_exchange_weak(before, before + n));
    return true;
  }

  /// Throws: std::logic_error if it is already zero.
  void add_count(int n = 1) {
    if (!try_add_count(n)) throw std::logic_error("it is zero already");
  }

  void wait() {
    if (!is_set()) zero_.wait();
  }

  /// `Wait(0)`
  bool try_wait() const { return is_set() || zero_.is_set(); }

  /// `WaitHandle.WaitOne()`
  void wait_one() { zero_.wait_one(); }

 private:
  std::atomic<int> count_;
  ManualResetEvent zero_;
};

}  // namespace plumb::objects
