// SPDX-License-Identifier: MIT
// A `const char*` may be null: this was a crash of ours.
//! "get | set, get", preemptions 2: holds
#include <plumb/test.hpp>

#include <atomic>

class Subject {
 public:
  void set() { text_ = "set"; }
  const char* get() { return text_; }

 private:
  std::atomic<const char*> text_{nullptr};
};

int main(int argc, char** argv) {
  return plumb::test(plumb::describe<Subject>("Subject")
                         .method("set", &Subject::set)
                         .method("get", &Subject::get))
      .main(argc, argv);
}
