// SPDX-License-Identifier: MIT
// What is asynchronous comes later, not earlier: serially, what its thread called before is over.
//! "open, cancel | is_cancelled", preemptions 2: holds
//! "pre open; cancel | is_cancelled, cancel", preemptions 2: holds
//! "open, is_cancelled | is_cancelled; post is_cancelled, cancel", preemptions 2: holds
//! "pre open, cancel, is_cancelled; cancel | cancel; post cancel", preemptions 2: holds
//! "open | cancel", preemptions 2: finding
#include <plumb/test.hpp>

#include <cassert>
#include <mutex>

class Subject {
 public:
  void open() {
    const std::lock_guard lock(mutex_);
    open_ = true;
  }
  void cancel() {
    const std::lock_guard lock(mutex_);
    assert(open_);
    cancelled_ = true;
  }
  bool is_cancelled() {
    const std::lock_guard lock(mutex_);
    return cancelled_;
  }

 private:
  std::mutex mutex_;
  bool open_ = false, cancelled_ = false;
};

int main(int argc, char** argv) {
  return plumb::test(plumb::describe<Subject>("Subject")
                         .method("open", &Subject::open)
                         .method("cancel", &Subject::cancel)
                         .asynchronous()
                         .method("is_cancelled", &Subject::is_cancelled))
      .main(argc, argv);
}
