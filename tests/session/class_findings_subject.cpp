// SPDX-License-Identifier: MIT
// Classes with findings. MODE says which.
#include <atomic>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <string>

#include <plumb/test.hpp>

class TwoLocks {
 public:
  void f() { const std::lock_guard outer(mutex_a_), inner(mutex_b_); }
  void g() {
    const std::lock_guard outer(mutex_b_);
    const std::lock_guard inner(mutex_a_);
  }

 private:
  std::mutex mutex_a_, mutex_b_;
};

class Event {
 public:
  void set() {
    is_set_ = true;
    changed_.notify_all();
  }
  void wait() {
    std::unique_lock mine(mutex_);
    if (!is_set_) changed_.wait(mine);
  }

 private:
  std::atomic<bool> is_set_{false};
  std::mutex mutex_;
  std::condition_variable changed_;
};

class Slot {
 public:
  void put(int value) {
    is_full_ = true;
    value_ = new int(value);
  }
  int peek() { return is_full_ ? *value_.load() : 0; }

 private:
  std::atomic<bool> is_full_{false};
  std::atomic<int*> value_{nullptr};
};

class Counter {
 public:
  void inc() { ++n_; }
  int fetch_inc() { return n_++; }
  int get() const { return n_; }

 private:
  int n_ = 0;
};

class Flag {
 public:
  void set() { is_set_ = true; }
  bool get() const { return is_set_; }

 private:
  bool is_set_ = false;
};

int main(int argc, char** argv) {
  const char* const variable = std::getenv("MODE");
  const std::string mode = variable == nullptr ? "" : variable;
  using plumb::describe;
  const auto run = [&](const auto& object) { return plumb::test(object).main(argc, argv); };
  if (mode == "locks")
    return run(describe<TwoLocks>("TwoLocks").method("f", &TwoLocks::f).method("g", &TwoLocks::g));
  if (mode == "event")
    return run(describe<Event>("Event").method("set", &Event::set).method("wait", &Event::wait));
  if (mode == "slot")
    return run(describe<Slot>("Slot")
                   .method("put", &Slot::put, plumb::values(1))
                   .method("peek", &Slot::peek));
  if (mode == "flag")
    return run(describe<Flag>("Flag").method("set", &Flag::set).method("get", &Flag::get));
  if (mode == "fetch")
    return run(describe<Counter>("Counter").method("fetch_inc", &Counter::fetch_inc));
  return run(
      describe<Counter>("Counter").method("inc", &Counter::inc).method("get", &Counter::get));
}
