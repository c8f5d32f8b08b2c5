// SPDX-License-Identifier: MIT
// An operation whose first act is to make a thread has been called when that thread works.
//! "inc | inc", preemptions 2: holds
//! "inc, inc | inc", preemptions 1: holds
#include <plumb/test.hpp>

#include <mutex>
#include <thread>

class Subject {
 public:
  int inc() {
    int result = 0;
    std::thread helper([&] {
      const std::lock_guard lock(mutex_);
      result = ++count_;
    });
    helper.join();
    return result;
  }

 private:
  std::mutex mutex_;
  int count_ = 0;
};

int main(int argc, char** argv) {
  return plumb::test(plumb::describe<Subject>("Subject").method("inc", &Subject::inc))
      .main(argc, argv);
}
