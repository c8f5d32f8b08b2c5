// SPDX-License-Identifier: MIT
// Those who share a lock do not conflict with each other, however often they take it.
//! "twice | twice, twice", preemptions 2: quiet
//! "set(1) | set(2)", preemptions 2: quiet
//! "twice | set(1)", preemptions 1: alarm
#include <mutex>
#include <plumb/test.hpp>
#include <shared_mutex>

class SharedLock {
 public:
  void set(int value) {
    const std::lock_guard lock(mutex_);
    value_ = value;
  }

  // The second time counts.
  int twice() const {
    get();
    return get();
  }

 private:
  int get() const {
    const std::shared_lock lock(mutex_);
    return value_;
  }

  mutable std::shared_mutex mutex_;
  int value_ = 0;
};

int main(int argc, char** argv) {
  return plumb::test(plumb::describe<SharedLock>("SharedLock")
                         .method("set", &SharedLock::set, plumb::values(1, 2))
                         .method("twice", &SharedLock::twice))
      .main(argc, argv);
}
