// SPDX-License-Identifier: MIT
// What a thread of the object does belongs to no operation: each access is a transaction by itself,
// and a cycle may go through it.
//! "ask(1) | ask(2)", preemptions 0: alarm
//! "leave(1) | leave(2)", preemptions 1: quiet
#include <condition_variable>
#include <mutex>
#include <plumb/test.hpp>
#include <thread>

// A server thread answers, one question after the other.
class Oracle {
 public:
  Oracle() : thread_([this] { answer_all(); }) {}
  ~Oracle() {
    {
      const std::lock_guard lock(mutex_);
      ends_ = true;
      changed_.notify_all();
    }
    thread_.join();
  }

  int ask(int question) {
    const std::lock_guard one_at_a_time(ask_);
    std::unique_lock lock(mutex_);
    question_ = question;
    changed_.notify_all();
    changed_.wait(lock, [this] { return question_ == 0; });
    return answer_;
  }

  // Without an answer.
  void leave(int note) {
    const std::lock_guard lock(ask_);
    note_ = note;
  }

 private:
  void answer_all() {
    std::unique_lock lock(mutex_);
    while (true) {
      changed_.wait(lock, [this] { return question_ != 0 || ends_; });
      if (ends_) return;
      answer_ = 10 * question_;
      question_ = 0;
      changed_.notify_all();
    }
  }

  std::mutex ask_, mutex_;
  std::condition_variable changed_;
  int question_ = 0, answer_ = 0, note_ = 0;
  bool ends_ = false;
  std::thread thread_;
};

int main(int argc, char** argv) {
  return plumb::test(plumb::describe<Oracle>("Oracle")
                         .method("ask", &Oracle::ask, plumb::values(1, 2))
                         .method("leave", &Oracle::leave, plumb::values(1, 2)))
      .main(argc, argv);
}
