// SPDX-License-Identifier: MIT
// CancellationTokenSource of .NET 4.0: callbacks that run, once each, on cancellation, or at once
// if it is already cancelled.
//
// The first to cancel takes the callbacks out of the list one by one and runs them. A callback that
// is registered meanwhile may come too late for that: the registering thread checks again whether
// cancelling has begun, and runs the callback if it can take it out of the list itself.
//
// Source: Line-Up (Burckhardt et al., PLDI 2010), Table 1.
//
// Verdict: linearizable.
#pragma once

#include <atomic>
#include <functional>
#include <list>
#include <mutex>
#include <utility>

namespace plumb::objects {

class CancellationTokenSource {
 public:
  using Callback = std::function<void()>;

  /// Returns: whether it ran at once. Otherwise the cancelling thread will run it.
  bool register_callback(const Callback& callback) {
    if (state_.load() == kNotCanceled) {
      const Place mine = put(callback);
      if (state_.load() == kNotCanceled || !take(mine)) return false;
    }
    callback();
    return true;
  }

  /// Returns: how many callbacks it ran. Only the first call runs any, and others do not wait for
  /// it.
  int cancel() {
    State before = kNotCanceled;
    if (!state_.compare_exchange_strong(before, kNotifying)) return 0;
    int ran = 0;
    for (Callback callback = take_first(); callback; callback = take_first()) {
      callback();
      ++ran;
    }
    state_ = kNotified;
    return ran;
  }

  bool is_cancellation_requested() const { return state_.load() != kNotCanceled; }

 private:
  enum State { kNotCanceled, kNotifying, kNotified };
  using Place = int;

  Place put(const Callback& callback) {
    const std::lock_guard lock(mutex_);
    callbacks_.emplace_back(++places_, callback);
    return places_;
  }

  bool take(Place place) {
    const std::lock_guard lock(mutex_);
    return callbacks_.remove_if([place](const auto& one) { return one.first == place; }) != 0;
  }

  Callback take_first() {
    const std::lock_guard lock(mutex_);
    if (callbacks_.empty()) return nullptr;
    Callback first = std::move(callbacks_.front().second);
    callbacks_.pop_front();
    return first;
  }

  std::atomic<State> state_{kNotCanceled};
  std::mutex mutex_;
  Place places_ = 0;
  std::list<std::pair<Place, Callback>> callbacks_;
};

}  // namespace plumb::objects
