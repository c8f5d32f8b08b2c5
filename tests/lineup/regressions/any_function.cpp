// SPDX-License-Identifier: MIT
// A method is any function of the object and the arguments: some did not compile.
//! "plain, ref | no_throw(1), const_ref", preemptions 0: holds
//! "ref_no_throw, const_ref_no_throw | object(1), plain(2)", preemptions 0: holds
//! "lost | plain", preemptions 2: violation
#include <plumb/test.hpp>

#include <atomic>
#include <functional>

class Subject {
 public:
  int ref() & { return ++count_; }
  int const_ref() const& { return count_; }
  int ref_no_throw() & noexcept { return ++count_; }
  int const_ref_no_throw() const& noexcept { return count_; }

  std::atomic<int> count_{0};
};

int plain(Subject& subject) { return subject.const_ref(); }
int plain_of(Subject& subject, const int& by) { return subject.count_ += by; }
int no_throw(const Subject& subject, int by) noexcept { return subject.const_ref() + by; }
void lost(Subject& subject) {
  subject.count_ = 1;
  subject.count_ = 2;
}

int main(int argc, char** argv) {
  return plumb::test(
             plumb::describe<Subject>("Subject")
                 .method("ref", &Subject::ref)
                 .method("const_ref", &Subject::const_ref)
                 .method("ref_no_throw", &Subject::ref_no_throw)
                 .method("const_ref_no_throw", &Subject::const_ref_no_throw)
                 .method("plain", plain)
                 .method("plain", &plain_of, plumb::values(2))
                 .method("no_throw", no_throw, plumb::values(1))
                 .method("object", std::function<int(Subject&, int)>(plain_of), plumb::values(1))
                 .method("lost", lost))
      .main(argc, argv);
}
