// SPDX-License-Identifier: MIT
// plumb test examples/objects/small_stack.cpp
// A stack for two values that accepts three. Its serial behaviour has the same mistake and would
// explain every history, so the test names another class as the specification.
#include <mutex>
#include <optional>
#include <vector>

#include <plumb/test.hpp>

class SmallStack {
 public:
  bool push(int value) {
    const std::lock_guard guard(mutex_);
    if (values_.size() > 2) return false;
    values_.push_back(value);
    return true;
  }
  std::optional<int> try_pop() {
    const std::lock_guard guard(mutex_);
    if (values_.empty()) return std::nullopt;
    const int value = values_.back();
    values_.pop_back();
    return value;
  }

 private:
  std::mutex mutex_;
  std::vector<int> values_;
};

struct SimpleStack {  // never called concurrently
  std::vector<int> values;
  bool push(int value) { return values.size() < 2 && (values.push_back(value), true); }
  std::optional<int> try_pop() {
    if (values.empty()) return std::nullopt;
    const int value = values.back();
    values.pop_back();
    return value;
  }
};

int main(int argc, char** argv) {
  return plumb::test(plumb::describe<SmallStack>("SmallStack")
                         .method("push", &SmallStack::push, plumb::values(1, 2))
                         .method("try_pop", &SmallStack::try_pop))
      .against(plumb::describe<SimpleStack>("SimpleStack")
                   .method("push", &SimpleStack::push, plumb::values(1, 2))
                   .method("try_pop", &SimpleStack::try_pop))
      .main(argc, argv);
}
