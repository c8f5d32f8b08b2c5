// SPDX-License-Identifier: MIT
// The processors that the searches of a run share: a search that takes long uses those that
// have nothing else to do.
#pragma once

#include <algorithm>
#include <mutex>

namespace plumb::session {

class Cores {
 public:
  explicit Cores(unsigned all) : all_(all) {}

  /// Of a thread with a search of its own. Where no thread says so, the first one has one.
  void begin_work() { change(working_, 1); }
  void end_work() { change(working_, -1); }

  /// One more for the search that asks; false: all of them have something to do.
  bool borrow() {
    const std::lock_guard lock(mutex_);
    if (std::max(working_, 1) + lent_ >= static_cast<int>(all_)) return false;
    ++lent_;
    return true;
  }
  void give_back(unsigned n) { change(lent_, -static_cast<int>(n)); }

 private:
  void change(int& count, int by) {
    const std::lock_guard lock(mutex_);
    count += by;
  }

  std::mutex mutex_;
  const unsigned all_;
  int working_ = 0, lent_ = 0;
};

}  // namespace plumb::session
