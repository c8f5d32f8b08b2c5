// SPDX-License-Identifier: MIT
#pragma once

#include <signal.h>

namespace plumb::session {

/// While one lives, an interrupt (Ctrl-C), or that it shall end, is noted instead of ending this
/// process.
class CatchInterrupt {
 public:
  CatchInterrupt() {
    struct sigaction action {};
    action.sa_handler = [](int) { interrupted_ = 1; };
    sigaction(SIGINT, &action, &old_);
    sigaction(SIGTERM, &action, &old_term_);
  }
  ~CatchInterrupt() {
    sigaction(SIGINT, &old_, nullptr);
    sigaction(SIGTERM, &old_term_, nullptr);
  }
  CatchInterrupt(const CatchInterrupt&) = delete;
  CatchInterrupt& operator=(const CatchInterrupt&) = delete;

  static bool was_interrupted() { return interrupted_ != 0; }

 private:
  static inline volatile sig_atomic_t interrupted_ = 0;
  struct sigaction old_ {
  }, old_term_{};
};

}  // namespace plumb::session
