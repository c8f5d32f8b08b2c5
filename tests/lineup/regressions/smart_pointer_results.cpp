// SPDX-License-Identifier: MIT
// A smart pointer is what it points to: its address differs from execution to execution.
//! "take | take, take", preemptions 2: holds
#include <plumb/test.hpp>

#include <atomic>
#include <memory>

class Subject {
 public:
  std::unique_ptr<int> take() {
    const int n = count_++;
    return n == 2 ? nullptr : std::make_unique<int>(n);
  }

 private:
  std::atomic<int> count_{0};
};

int main(int argc, char** argv) {
  return plumb::test(plumb::describe<Subject>("Subject").method("take", &Subject::take))
      .main(argc, argv);
}
