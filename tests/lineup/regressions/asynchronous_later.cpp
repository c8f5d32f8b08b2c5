// SPDX-License-Identifier: MIT
// A thread of the object does what was asked for, some time after: also after what main calls next.
//! "pre cancel; cancelled | cancelled", preemptions 2: holds
//! "pre cancel, cancelled; cancelled | cancelled", preemptions 2: holds
//! "cancel, cancelled | cancelled, cancelled; post cancelled", preemptions 2: holds
//! "cancel; post cancelled, cancelled", preemptions 2: holds
//! "cancel | wait", preemptions 2: holds
//! "cancelled | cancel; post wait, cancelled", preemptions 2: holds
//! "pre wrong; cancelled | cancelled", preemptions 2: violation
#include <plumb/test.hpp>

#include <condition_variable>
#include <mutex>
#include <thread>

class Subject {
 public:
  ~Subject() {
    {
      const std::lock_guard lock(mutex_);
      stop_ = true;
    }
    changed_.notify_all();
    worker_.join();
  }
  void cancel() {
    const std::lock_guard lock(mutex_);
    asked_ = true;
    changed_.notify_all();
  }
  void wrong() { cancel(); }  // is not said to be asynchronous
  bool cancelled() {
    const std::lock_guard lock(mutex_);
    return done_;
  }
  void wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return done_; });
  }

 private:
  void work() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return asked_ || stop_; });
    done_ = asked_;
    changed_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  bool asked_ = false, done_ = false, stop_ = false;
  std::thread worker_{[this] { work(); }};
};

int main(int argc, char** argv) {
  return plumb::test(plumb::describe<Subject>("Subject")
                         .method("cancel", &Subject::cancel)
                         .asynchronous()
                         .method("wrong", &Subject::wrong)
                         .method("cancelled", &Subject::cancelled)
                         .method("wait", &Subject::wait))
      .main(argc, argv);
}
