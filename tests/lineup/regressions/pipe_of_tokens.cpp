// SPDX-License-Identifier: MIT
// What is written to a pipe can be read from it, and not before.
//! "put, take | take, put", preemptions 2: holds
//! "put | take | take", preemptions 2: holds
#include <plumb/test.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>

class Subject {
 public:
  Subject() {
    if (pipe2(ends_, O_NONBLOCK) != 0) std::abort();
  }
  ~Subject() {
    close(ends_[0]);
    close(ends_[1]);
  }
  bool put() {
    const char token = 1;
    return write(ends_[1], &token, 1) == 1;
  }
  bool take() {
    char token = 0;
    return read(ends_[0], &token, 1) == 1;
  }

 private:
  int ends_[2];
};

int main(int argc, char** argv) {
  return plumb::test(plumb::describe<Subject>("Subject")
                         .method("put", &Subject::put)
                         .method("take", &Subject::take))
      .main(argc, argv);
}
