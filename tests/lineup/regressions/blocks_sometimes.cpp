// SPDX-License-Identifier: MIT
// Serially, an operation that waits forever or not, as it likes, is not deterministic: this was
// taken for an operation that may be left out.
//! "f", preemptions 0: nondeterministic
//! "f | f", preemptions 2: nondeterministic
#include <plumb/test.hpp>

#include <condition_variable>
#include <mutex>

class Subject {
 public:
  void f() {
    std::unique_lock lock(mutex_);
    if (plumb::choose(2) == 1) condition_.wait(lock);
  }

 private:
  std::mutex mutex_;
  std::condition_variable condition_;
};

int main(int argc, char** argv) {
  return plumb::test(plumb::describe<Subject>("Subject").method("f", &Subject::f)).main(argc, argv);
}
