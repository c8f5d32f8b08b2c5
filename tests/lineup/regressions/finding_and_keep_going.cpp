// SPDX-License-Identifier: MIT
// With --keep-going a search goes on after a finding; such a test was said to pass. And what is
// found serially must have a schedule that can be replayed.
//! "g | f", preemptions 2 --keep-going: finding
//! "g | f", preemptions 2: finding
#include <plumb/test.hpp>

#include <atomic>
#include <cassert>

class Subject {
 public:
  void f() {
    a_++;
    b_++;
    a_++;
  }
  void g() { assert(a_ != 2 || b_ != 1); }

 private:
  std::atomic<int> a_{0}, b_{0};
};

int main(int argc, char** argv) {
  return plumb::test(
             plumb::describe<Subject>("Subject").method("f", &Subject::f).method("g", &Subject::g))
      .main(argc, argv);
}
