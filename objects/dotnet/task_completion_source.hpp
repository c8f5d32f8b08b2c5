// SPDX-License-Identifier: MIT
// TaskCompletionSource of .NET 4.0: a promise. The first result, exception or cancellation becomes
// the final outcome of the task.
//
// The first call reserves the outcome by compare-and-swap, stores it and then completes; all other
// calls return that they came too late. The mistake of TaskCompletionSource (G in Line-Up's Table
// 2; the paper does not describe it, but the next release has this repair): they return before
// there is an outcome, and a read that follows finds none. In FixedTaskCompletionSource they wait
// until it is stored.
//
// The mistake of TaskCompletionSourcePre (F there; invented): it checks whether there is an outcome
// and then sets one; two calls may both find none, and both return that theirs is the outcome.
//
// Source: Line-Up (Burckhardt et al., PLDI 2010), Table 1.
//
// Verdict: FixedTaskCompletionSource is linearizable, the others are not. Smallest tests:
//   F  `try_set_result(1) | try_set_result(2)` (one preemption): both true
//   G  `try_set_result(1) | try_set_result(2), try_result` (one preemption): false, then no result
#pragma once

#include <atomic>
#include <optional>
#include <stdexcept>
#include <thread>

#include "manual_reset_event.hpp"

namespace plumb::objects {

enum class TaskCompletionVersion { pre, released, fixed };

template <TaskCompletionVersion kVersion>
class BasicTaskCompletionSource {
 public:
  /// Returns: false if there is already an outcome. An exception is a number here.
  bool try_set_result(int result) { return try_set(kResult, result); }
  bool try_set_exception(int exception) { return try_set(kException, exception); }
  bool try_set_canceled() { return try_set(kCanceled, 0); }

  /// These throw std::logic_error if there is already an outcome.
  void set_result(int result) { require(try_set_result(result)); }
  void set_exception(int exception) { require(try_set_exception(exception)); }
  void set_canceled() { require(try_set_canceled()); }

  /// Nothing if this is not (or not yet) the outcome.
  std::optional<int> try_result() const { return outcome(kResult); }
  std::optional<int> exception() const { return outcome(kException); }

  /// Waits for the outcome. Throws: std::runtime_error if it is not a result.
  void wait() {
    completed_.wait();
    if (state_.load() != kResult) throw std::runtime_error("there is no result");
  }

 private:
  enum State { kOpen, kReserved, kResult, kException, kCanceled };

  static void require(bool set) {
    if (!set) throw std::logic_error("there is an outcome already");
  }

  bool try_set(State state, int value) {
    if (!reserve()) {
      if constexpr (kVersion == TaskCompletionVersion::fixed)
        while (state_.load() == kReserved) std::this_thread::yield();
      return false;
    }
    value_ = value;
    state_ = state;
    completed_.set();
    return true;
  }

  bool reserve() {
    State open = kOpen;
    if constexpr (kVersion == TaskCompletionVersion::pre) return state_.load() == kOpen;
    else return state_.compare_exchange_strong(open, kReserved);
  }

  std::optional<int> outcome(State state) const {
    return state_.load() == state ? std::optional(value_.load()) : std::nullopt;
  }

  std::atomic<State> state_{kOpen};
  std::atomic<int> value_{0};
  ManualResetEvent completed_;
};

using TaskCompletionSourcePre = BasicTaskCompletionSource<TaskCompletionVersion::pre>;
using TaskCompletionSource = BasicTaskCompletionSource<TaskCompletionVersion::released>;
using FixedTaskCompletionSource = BasicTaskCompletionSource<TaskCompletionVersion::fixed>;

}  // namespace plumb::objects
