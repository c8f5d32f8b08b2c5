// SPDX-License-Identifier: MIT
// What is popped twice is a mistake also if it is `false`: that pop has not failed.
//! "pre push(false); try_pop | try_pop", preemptions 2: violation
//! "pre push(true); try_pop | try_pop", preemptions 2: violation
//! "try_pop | try_pop", preemptions 2: holds
#include <plumb/test.hpp>

#include <atomic>
#include <optional>

class Subject {
 public:
  void push(bool value) {
    slots_[back_.load()] = value;
    back_ = back_ + 1;
  }
  std::optional<bool> try_pop() {
    const int front = front_;
    if (front == back_) return {};
    front_ = front + 1;
    return slots_[front];
  }

 private:
  std::atomic<int> front_{0}, back_{0};
  bool slots_[8] = {};
};

int main(int argc, char** argv) {
  return plumb::test(plumb::describe<Subject>("Subject")
                         .method("push", &Subject::push, plumb::values(false, true))
                         .at_most_one_thread()
                         .method("try_pop", &Subject::try_pop)
                         .may_fail_under_contention())
      .main(argc, argv);
}
