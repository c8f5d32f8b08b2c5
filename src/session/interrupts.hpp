// SPDX-License-Identifier: MIT
#pragma once

#include <signal.h>

#include <atomic>

namespace plumb::session {

/// While one lives, an interrupt (Ctrl-C), or that it shall end, is noted instead of ending this
/// process.
class CatchInterrupt {
 public:
  CatchInterrupt() {
    struct sigaction action {};
    action.sa_handler = [](int) { interrupted_ = true; };
    sigaction(SIGINT, &action, &old_);
    sigaction(SIGTERM, &action, &old_term_);
  }
  ~CatchInterrupt() {
    sigaction(SIGINT, &old_, nullptr);
    sigaction(SIGTERM, &old_term_, nullptr);
  }
  CatchInterrupt(const CatchInterrupt&) = delete;
  CatchInterrupt& operator=(const CatchInterrupt&) = delete;

  static bool was_interrupted() { return interrupted_; }
  /// For work that looks at it while it runs.
  static const std::atomic<bool>& flag() { return interrupted_; }

 private:
  static_assert(std::atomic<bool>::is_always_lock_free);  // a handler may write it
  static inline std::atomic<bool> interrupted_{false};
  struct sigaction old_ {
  }, old_term_{};
};

}  // namespace plumb::session
