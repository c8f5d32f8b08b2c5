// SPDX-License-Identifier: MIT
// Something that is cancelled in two stages, and who asks compares: either stage will do.
//
// Source: Line-Up (Burckhardt et al., PLDI 2010), section 5.6, the third of four reasons why
// correct code is not conflict-serializable: "The current state is read and compared using a >=
// operator. At an abstract level, this comparison is a right-mover, but a simple serializability
// detector does not know that."
//
// Verdict: linearizable.
#pragma once

#include <atomic>

namespace plumb::objects {

class GrowingState {
 public:
  /// Returns: whether it was the first.
  bool cancel() {
    int before = kUsable;
    if (!state_.compare_exchange_strong(before, kNotifying)) return false;
    // Here those who wait to hear of it would be told.
    state_ = kNotified;
    return true;
  }

  bool is_cancelled() const { return state_.load() >= kNotifying; }

 private:
  enum { kUsable, kNotifying, kNotified };
  std::atomic<int> state_{kUsable};
};

}  // namespace plumb::objects
