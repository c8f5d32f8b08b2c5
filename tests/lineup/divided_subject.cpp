// SPDX-License-Identifier: MIT
// What divided_test.py runs: tests so large that other processes help, in which something happens
// late. The variable MODE says what, and STEPS how large they are.
#include <plumb/test.hpp>

#include <atomic>
#include <cassert>
#include <csignal>
#include <cstdlib>
#include <random>
#include <string_view>

namespace {

std::string_view mode() {
  const char* const given = std::getenv("MODE");
  return given == nullptr ? "" : given;
}

int steps() {
  const char* const given = std::getenv("STEPS");
  return given == nullptr ? 8 : std::atoi(given);
}

class Subject {
 public:
  void add() {
    for (int i = 0; i < steps(); ++i) count_.fetch_add(1);
    note(1);
  }

  // The last thread has this operation, and what matters is what it finds in the middle of it, if
  // it was the first to begin: depth first, that is seen late.
  int late() {
    const int first = count_.fetch_add(1);
    const int then = count_.fetch_add(1);
    const int last = count_.fetch_add(1);
    const bool is_late = first == 0 && then == steps() + 1 && last == 3 * steps() / 2 + 2;
    note(2);
    return is_late ? happens(last) : 0;
  }

 private:
  void note(int who) {
    if (mode() == "races") plain_ = who;
  }

  int happens(int last) {
    if (mode() == "wrong") return -last;
    if (mode() == "asserts") assert(last == 0);
    if (mode() == "crashes") *reinterpret_cast<volatile int*>(8) = last;
    if (mode() == "hangs")
      for (;;) asm volatile("");
    if (mode() == "throws") throw last;
    if (mode() == "is killed") raise(SIGKILL);
    if (mode() == "is endless")
      while (count_.fetch_add(1) >= 0) {}
    return 0;
  }

  std::atomic<int> count_{0};
  int plain_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  return plumb::test(plumb::describe<Subject>("Subject")
                         .method("add", &Subject::add)
                         .method("late", &Subject::late))
      .main(argc, argv);
}
