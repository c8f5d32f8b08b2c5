// SPDX-License-Identifier: MIT
// Threads register before their first operation and leave after their last: in serial and in
// concurrent executions, main as well. Neither is an operation. And what they throw is a finding.
//! "use | use", preemptions 2: holds
//! "pre use; use, use | use; post use", preemptions 1: holds
//! Subject ATTACH_THROWS: "use | use", preemptions 2: finding
//! Subject DETACH_THROWS: "use | use", preemptions 2: finding
#include <plumb/test.hpp>

#include <atomic>
#include <cassert>
#include <stdexcept>

class Subject {
 public:
  ~Subject() { assert(registered_ == 0); }
  // Not twice, and not without the other.
  void attach() {
#ifdef ATTACH_THROWS
    throw std::runtime_error("no more threads");
#endif
    assert(!is_registered);
    is_registered = true;
    ++registered_;
  }
  void detach() {
#ifdef DETACH_THROWS
    throw std::runtime_error("not here");
#endif
    assert(is_registered);
    is_registered = false;
    --registered_;
  }
  int use() {
    assert(is_registered && registered_ >= 1);
    return ++uses_;
  }

 private:
  static thread_local bool is_registered;
  std::atomic<int> registered_{0}, uses_{0};
};
thread_local bool Subject::is_registered = false;

int main(int argc, char** argv) {
  return plumb::test(plumb::describe<Subject>("Subject")
                         .each_thread(&Subject::attach, &Subject::detach)
                         .method("use", &Subject::use))
      .main(argc, argv);
}
