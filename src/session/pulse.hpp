// SPDX-License-Identifier: MIT
// Whether a process under test gets on. Time is what the process had of it: a processor's, or time
// in which it waited by its own wish. So a busy machine, or a whole session that is stopped and
// is resumed later, is no hang.
#pragma once

#include <algorithm>
#include <cstdint>

#include "runtime/wire/search_result.hpp"

namespace plumb::session {

class Pulse {
 public:
  enum class Sign { alive, hangs, stopped };

  /// `Watched` is Process, or stands for it in a test.
  template <class Watched>
  Sign look(const Watched& process, double now, double limit) {
    const runtime::Progress& its = process.board().result.progress;
    const std::uint64_t progress = its.steps + its.executions + its.heartbeat;
    const double passed = std::min(now - last_look_, kMostAtOnce);
    last_look_ = now;
    if (progress != progress_ || its.paused) {
      progress_ = progress;
      cpu_before_ = process.cpu_seconds();
      waited_ = stopped_ = 0;
      return Sign::alive;
    }
    // State D (uninterruptible) does not count: such a process waits for a disk or for swapping.
    const char state = process.state();
    if (state == 'T' || state == 't') stopped_ += passed;
    else if (state == 'S') waited_ += passed;
    if (waited_ + process.cpu_seconds() - cpu_before_ > limit) return Sign::hangs;
    return stopped_ > limit ? Sign::stopped : Sign::alive;
  }

 private:
  static constexpr double kMostAtOnce = 0.5;  // seconds; more, and we did not run either

  std::uint64_t progress_ = ~std::uint64_t{0};
  double last_look_ = 0, cpu_before_ = 0;
  double waited_ = 0, stopped_ = 0;
};

}  // namespace plumb::session
