// SPDX-License-Identifier: MIT
// What is not asked of a method is not asked either where a specification is given.
//! "push(1), push(2) | try_pop", preemptions 2 --spec queue: holds
//! "pre push(1); push(2) | size, try_pop; post try_pop, try_pop", preemptions 2 --spec queue: holds
//! "pre put(1); try_pop | size; post try_pop", preemptions 2 --spec queue: holds
//! "pre push(1), push(2); take | try_pop", preemptions 2 --spec queue: violation
#include <plumb/test.hpp>

#include <deque>
#include <mutex>
#include <optional>

class Subject {
 public:
  void push(int value) {
    const std::lock_guard lock(mutex_);
    apply();
    values_.push_back(value);
  }
  // It takes effect with the next change after it, not before.
  void put(int value) {
    const std::lock_guard lock(mutex_);
    later_.push_back(value);
  }
  std::optional<int> try_pop() {
    const std::unique_lock lock(mutex_, std::try_to_lock);
    if (!lock) return std::nullopt;
    std::optional<int> value;
    if (!values_.empty()) {
      value = values_.front();
      values_.pop_front();
    }
    apply();
    return value;
  }
  std::optional<int> take() {  // the wrong end
    const std::lock_guard lock(mutex_);
    if (values_.empty()) return std::nullopt;
    const int value = values_.back();
    values_.pop_back();
    return value;
  }
  std::size_t size() { return 7; }

 private:
  void apply() {
    for (const int value : later_) values_.push_back(value);
    later_.clear();
  }

  std::mutex mutex_;
  std::deque<int> values_, later_;
};

int main(int argc, char** argv) {
  return plumb::test(plumb::describe<Subject>("Subject")
                         .method("push", &Subject::push, plumb::values(1, 2))
                         .method("put", &Subject::put, plumb::values(1))
                         .asynchronous()
                         .method("try_pop", &Subject::try_pop)
                         .may_fail_under_contention()
                         .method("take", &Subject::take)
                         .method("size", &Subject::size)
                         .weak_read())
      .main(argc, argv);
}
