// SPDX-License-Identifier: MIT
// Who unwinds the stack calls pthread_once, which is no step then: the step before it, the unlock,
// was taken for a read, and partial-order reduction exchanged what it must not.
//! "h | f", preemptions 2 --strategy dpor: violation
//! "f | h", preemptions 2 --strategy dpor: violation
#include <plumb/test.hpp>

#include <atomic>
#include <mutex>

class Subject {
 public:
  void h() {
    a_.load();
    {
      const std::lock_guard lock(mutex_);
      v_.store(3);
    }
    throw 1;
  }
  int f() {
    {
      const std::lock_guard lock(mutex_);
      v_.exchange(2);
    }
    return v_.load();
  }

 private:
  std::atomic<int> a_{0}, v_{0};
  std::mutex mutex_;
};

int main(int argc, char** argv) {
  return plumb::test(
             plumb::describe<Subject>("Subject").method("h", &Subject::h).method("f", &Subject::f))
      .main(argc, argv);
}
