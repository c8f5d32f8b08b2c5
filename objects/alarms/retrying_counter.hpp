// SPDX-License-Identifier: MIT
// A counter that is incremented by compare-and-swap, which is retried until it succeeds.
//
// Source: Line-Up (Burckhardt et al., PLDI 2010), section 5.6, the first of four reasons why
// correct code is not conflict-serializable: "A failing CAS leads to a retry. However, the accesses
// performed before the retry break serializability."
//
// Verdict: linearizable.
#pragma once

#include <atomic>

namespace plumb::objects {

class RetryingCounter {
 public:
  /// Returns: the count before.
  int increment() {
    int count = count_.load();
    while (!count_.compare_exchange_weak(count, count + 1)) {}
    return count;
  }

  int get() const { return count_.load(); }

 private:
  std::atomic<int> count_{0};
};

}  // namespace plumb::objects
