// SPDX-License-Identifier: MIT
// Cancellation in two stages. A reader compares the stage by >=: either stage counts as cancelled.
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
  /// Returns: whether this call was the first.
  bool cancel() {
    int before = kUsable;
    if (!state_.compare_exchange_strong(before, kNotifying)) return false;
    // A real implementation would notify its listeners here.
    state_ = kNotified;
    return true;
  }

  bool is_cancelled() const { return state_.load() >= kNotifying; }

 private:
  enum { kUsable, kNotifying, kNotified };
  std::atomic<int> state_{kUsable};
};

}  // namespace plumb::objects
