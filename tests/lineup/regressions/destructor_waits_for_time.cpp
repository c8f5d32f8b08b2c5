// SPDX-License-Identifier: MIT
// Serially, while a destructor (or a constructor) waits for a thread of the object, time passes for
// that thread: this was called a deadlock.
//! "f", preemptions 0: holds
//! "f | f", preemptions 0: holds
#include <plumb/test.hpp>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

class Subject {
 public:
  Subject() : thread_([this] { poll(); }) {}
  ~Subject() {
    {
      const std::lock_guard lock(mutex_);
      stop_ = true;
    }
    thread_.join();
  }
  int f() {
    const std::lock_guard lock(mutex_);
    return count_++;
  }

 private:
  void poll() {
    std::unique_lock lock(mutex_);
    while (!stop_) condition_.wait_for(lock, std::chrono::milliseconds(1));
  }

  std::mutex mutex_;
  std::condition_variable condition_;
  bool stop_ = false;
  int count_ = 0;
  std::thread thread_;
};

int main(int argc, char** argv) {
  return plumb::test(plumb::describe<Subject>("Subject").method("f", &Subject::f)).main(argc, argv);
}
