// SPDX-License-Identifier: MIT
// plumb test examples/objects/event.cpp
// An event that threads wait for. set() notifies only if a thread is already counted as waiting,
// but wait() counts itself only after it has checked the event.
#include <atomic>
#include <condition_variable>
#include <mutex>

#include <plumb/test.hpp>

class Event {
 public:
  void set() {
    is_set_ = true;
    if (waiters_ == 0) return;
    const std::lock_guard lock(mutex_);
    changed_.notify_all();
  }
  void wait() {
    if (is_set_) return;
    std::unique_lock lock(mutex_);
    ++waiters_;
    changed_.wait(lock);
    --waiters_;
  }

 private:
  std::atomic<bool> is_set_{false};
  std::atomic<int> waiters_{0};
  std::mutex mutex_;
  std::condition_variable changed_;
};

int main(int argc, char** argv) {
  return plumb::test(plumb::describe<Event>("Event")
                         .method("set", &Event::set)
                         .method("wait", &Event::wait))
      .main(argc, argv);
}
