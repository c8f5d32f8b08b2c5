// SPDX-License-Identifier: MIT
// What main calls before or after the others may be asynchronous too: this was a crash of ours.
//! "pre cancel; get | get; post cancel, get", preemptions 2: holds
//! "get, cancel, get | get; post cancel", preemptions 2: holds
#include <plumb/test.hpp>

#include <atomic>

class Subject {
 public:
  void cancel() { ++cancelled_; }
  int get() { return cancelled_; }

 private:
  std::atomic<int> cancelled_{0};
};

int main(int argc, char** argv) {
  return plumb::test(plumb::describe<Subject>("Subject")
                         .method("cancel", &Subject::cancel)
                         .asynchronous()
                         .method("get", &Subject::get))
      .main(argc, argv);
}
