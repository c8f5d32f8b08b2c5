// SPDX-License-Identifier: MIT
// Serially, an operation may go on forever, and change memory all the time: its steps are counted.
//! "wait | set", preemptions 2: undecided
#include <plumb/test.hpp>

#include <atomic>

class Subject {
 public:
  void wait() {
    while (set_.load() == 0) tries_.fetch_add(1);
  }
  void set() { set_ = 1; }

 private:
  std::atomic<int> set_{0}, tries_{0};
};

int main(int argc, char** argv) {
  return plumb::test(plumb::describe<Subject>("Subject")
                         .method("wait", &Subject::wait)
                         .method("set", &Subject::set))
      .main(argc, argv);
}
