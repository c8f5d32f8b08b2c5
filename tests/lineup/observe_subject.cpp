// SPDX-License-Identifier: MIT
// What observe_test.py runs. -DOWNED: a stack that only the thread may push to that did so first.
#include <atomic>
#include <cassert>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include <plumb/test.hpp>

#ifdef OWNED
class Stack {
 public:
  void push(int value) {
    const std::lock_guard lock(mutex_);
    if (owner_ == std::thread::id()) owner_ = std::this_thread::get_id();
    assert(owner_ == std::this_thread::get_id());
    values_.push_back(value);
  }
  std::optional<int> pop() {
    const std::lock_guard lock(mutex_);
    if (values_.empty()) return std::nullopt;
    const int value = values_.back();
    values_.pop_back();
    return value;
  }

 private:
  std::mutex mutex_;
  std::thread::id owner_;
  std::vector<int> values_;
};
#else
class Stack {  // two that push at once may lose a value
 public:
  void push(int value) {
    const int top = top_;
    values_[static_cast<unsigned>(top)] = value;
    top_ = top + 1;
  }
  std::optional<int> pop() {
    const std::lock_guard lock(mutex_);
    const int top = top_;
    if (top == 0) return std::nullopt;
    top_ = top - 1;
    return values_[static_cast<unsigned>(top - 1)].load();
  }

 private:
  std::mutex mutex_;
  std::atomic<int> top_{0};
  std::atomic<int> values_[64] = {};
};
#endif

int main(int argc, char** argv) {
  auto description = plumb::describe<Stack>("Stack")
                         .method("push", &Stack::push, plumb::values(1, 2))
#ifdef OWNED
                         .only_on(0)
#endif
                         .method("pop", &Stack::pop);
  auto test = plumb::test(description);
#ifdef BY_HAND
  test.observe("pop, pop");
#endif
  return test.main(argc, argv);
}
