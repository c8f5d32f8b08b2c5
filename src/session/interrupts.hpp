// SPDX-License-Identifier: MIT
#pragma once

#include <signal.h>

#include <atomic>

namespace plumb::session {

/// While one lives, a signal that asks this process to end (Ctrl-C, SIGTERM, and SIGHUP unless it
/// is ignored, as by nohup) is noted instead of ending it.
class CatchInterrupt {
 public:
  CatchInterrupt() {
    struct sigaction action {};
    action.sa_handler = [](int) { interrupted_ = true; };
    for (int i = 0; i < 3; ++i) {
      sigaction(kSignals[i], nullptr, &old_[i]);
      const bool is_ignored = kSignals[i] == SIGHUP && old_[i].sa_handler == SIG_IGN;
      if (!is_ignored) sigaction(kSignals[i], &action, nullptr);
    }
  }
  ~CatchInterrupt() {
    for (int i = 0; i < 3; ++i) sigaction(kSignals[i], &old_[i], nullptr);
  }
  CatchInterrupt(const CatchInterrupt&) = delete;
  CatchInterrupt& operator=(const CatchInterrupt&) = delete;

  static bool was_interrupted() { return interrupted_; }
  /// What was found is shown even so, unless another interrupt comes.
  static void forget() { interrupted_ = false; }
  /// For work that looks at it while it runs.
  static const std::atomic<bool>& flag() { return interrupted_; }

 private:
  static_assert(std::atomic<bool>::is_always_lock_free);  // a handler may write it
  static inline std::atomic<bool> interrupted_{false};
  static constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP};
  struct sigaction old_[3] = {};
};

}  // namespace plumb::session
