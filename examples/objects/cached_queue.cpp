// SPDX-License-Identifier: MIT
// plumb test examples/objects/cached_queue.cpp
// A queue that remembers that it is empty, and that push does not tell. It is atomic, so its serial
// behaviour explains every history; but it is no queue.
#include <deque>
#include <mutex>
#include <optional>

#include <plumb/test.hpp>

class CachedQueue {
 public:
  void push(int value) {
    const std::lock_guard guard(mutex_);
    values_.push_back(value);
  }
  std::optional<int> pop() {
    const std::lock_guard guard(mutex_);
    if (is_empty_ || values_.empty()) {
      is_empty_ = true;
      return std::nullopt;
    }
    const int value = values_.front();
    values_.pop_front();
    return value;
  }

 private:
  std::mutex mutex_;
  std::deque<int> values_;
  bool is_empty_ = false;
};

int main(int argc, char** argv) {
  return plumb::test(plumb::describe<CachedQueue>("CachedQueue")
                         .method("push", &CachedQueue::push, plumb::values(1, 2))
                         .method("pop", &CachedQueue::pop))
      .main(argc, argv);
}
