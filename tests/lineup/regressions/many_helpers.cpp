// SPDX-License-Identifier: MIT
// More threads than can be run are no mistake of the class.
//! "sum, sum, sum, sum | sum, sum, sum, sum", preemptions 0: undecided
//! "sum | sum", preemptions 0: holds
//! "add | add | add | add | add | add", preemptions 0: undecided
#include <plumb/test.hpp>

#include <atomic>
#include <mutex>
#include <thread>

class Subject {
 public:
  // Several are about to make the last one at once.
  void add() {
    std::thread([this] { ++added_; }).join();
    for (int i = 0; i < 4; ++i) std::thread([] {}).join();
  }
  int sum() {
    const std::lock_guard lock(mutex_);
    std::atomic<int> sum{0};
    std::thread helpers[4];
    for (std::thread& helper : helpers) helper = std::thread([&] { ++sum; });
    for (std::thread& helper : helpers) helper.join();
    return sum;
  }

 private:
  std::atomic<int> added_{0};
  std::mutex mutex_;
};

int main(int argc, char** argv) {
  return plumb::test(plumb::describe<Subject>("Subject")
                         .method("sum", &Subject::sum)
                         .method("add", &Subject::add))
      .main(argc, argv);
}
