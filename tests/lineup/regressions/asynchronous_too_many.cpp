// SPDX-License-Identifier: MIT
// Asynchronous calls are threads of their own, and there may be more of them than there is room
// for: then the test is not decided.
//! "inc, inc, inc, inc, inc, inc, inc, inc, inc, inc, inc, inc, inc, inc, inc, inc, inc, inc, inc, inc, inc, inc, inc, inc, inc, inc, inc, inc, inc, inc, inc, inc, inc, inc, inc, inc, inc, inc, inc, inc | get", preemptions 0: undecided
//! "pre inc, inc, inc, inc, inc, inc, inc, inc, inc, inc, inc, inc, inc, inc, inc, inc, inc, inc, inc, inc, inc, inc, inc, inc, inc, inc, inc, inc, inc, inc, inc; get", preemptions 0: undecided
//! "inc, inc, inc | get", preemptions 0: holds
#include <plumb/test.hpp>

#include <mutex>

class Subject {
 public:
  void inc() {
    const std::lock_guard lock(mutex_);
    ++n_;
  }
  int get() {
    const std::lock_guard lock(mutex_);
    return n_;
  }

 private:
  std::mutex mutex_;
  int n_ = 0;
};

int main(int argc, char** argv) {
  return plumb::test(plumb::describe<Subject>("Subject")
                         .method("inc", &Subject::inc)
                         .asynchronous()
                         .method("get", &Subject::get))
      .main(argc, argv);
}
