// SPDX-License-Identifier: MIT
// Classes that are linearizable by their own serial behaviour, which is wrong: the class is named
// by the environment variable CASE.
#include <cstdlib>
#include <deque>
#include <mutex>
#include <optional>
#include <random>
#include <string>

#include <plumb/test.hpp>

namespace {

class Locked {
 public:
  void enq(int v) {
    const std::lock_guard guard(mutex_);
    items_.push_back(v);
  }
  int size() {
    const std::lock_guard guard(mutex_);
    return static_cast<int>(items_.size());
  }

 protected:
  std::optional<int> first(bool removes) {
    if (items_.empty()) return std::nullopt;
    const int v = items_.front();
    if (removes) items_.pop_front();
    return v;
  }
  std::mutex mutex_;
  std::deque<int> items_;
};

struct Queue : Locked {
  std::optional<int> deq() {
    const std::lock_guard guard(mutex_);
    return first(true);
  }
};
struct StaleQueue : Locked {  // deq leaves the element where it is
  std::optional<int> deq() {
    const std::lock_guard guard(mutex_);
    return first(false);
  }
};
struct CachedQueue : Locked {  // that it is empty is never asked again
  std::optional<int> deq() {
    const std::lock_guard guard(mutex_);
    was_empty_ |= items_.empty();
    return was_empty_ ? std::nullopt : first(true);
  }
  bool was_empty_ = false;
};
struct RandomQueue : Locked {  // nothing is known of it
  std::optional<int> deq() {
    const std::lock_guard guard(mutex_);
    return first(std::random_device()() % 2 == 0);
  }
};

template <class T>
int test(int argc, char** argv) {
  return plumb::test(plumb::describe<T>("Queue")
                         .method("enq", &T::enq, plumb::values(1, 2))
                         .method("deq", &T::deq)
                         .method("size", &T::size))
      .main(argc, argv);
}

}  // namespace

int main(int argc, char** argv) {
  const char* const asked = std::getenv("CASE");
  const std::string name = asked == nullptr ? "" : asked;
  if (name == "stale") return test<StaleQueue>(argc, argv);
  if (name == "cached") return test<CachedQueue>(argc, argv);
  if (name == "random") return test<RandomQueue>(argc, argv);
  return test<Queue>(argc, argv);
}
