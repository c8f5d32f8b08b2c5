// SPDX-License-Identifier: MIT
// What odd_test.py runs: a counter, and beside it what no class should do. The variable ODD says
// what.
#include <plumb/test.hpp>

#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace {

bool is(std::string_view what) {
  const char* const odd = std::getenv("ODD");
  return odd != nullptr && odd == what;
}

class Subject {
 public:
  Subject() {
    if (is("constructor throws")) throw std::runtime_error("no subject today");
    if (is("constructor throws a number")) throw 42;
    if (is("constructor exits")) std::exit(3);
  }
  ~Subject() noexcept(false) {
    if (is("destructor throws")) throw std::runtime_error("not like this");
  }
  int next() { return is("counts without atomics") ? plain_ : count_++; }
  int lost() {  // not linearizable
    const int now = count_;
    count_ = now + 1;
    return now;
  }

  std::string odd() {
    if (is("exits")) std::exit(3);
    if (is("exits quickly")) std::quick_exit(3);
    if (is("exits at once")) _exit(3);
    if (is("aborts")) std::abort();
    if (is("terminates")) std::terminate();
    if (is("is killed")) raise(SIGKILL);
    if (is("is stopped")) raise(SIGSTOP);
    if (is("follows null")) *static_cast<volatile int*>(nullptr) = 1;
    if (is("throws a number")) throw 42;
    if (is("loops")) {
      for (;;) asm volatile("");
    }
    if (is("waits")) {
      while (count_.load() < 1'000'000) {}
    }
    if (is("counts")) {
      for (;;) count_++;
    }
    if (is("counts forever if interrupted")) {
      const int now = count_;
      while (count_ != now) count_++;
    }
    if (is("counts without atomics")) ++plain_;
    if (is("allocates")) {
      for (;;) kept_.push_back(new char[1 << 20]);
    }
    if (is("looks often")) {
      for (int looks = 0; looks < 100 && count_.load() == 0; ++looks) {}
    }
    if (is("recurses")) return recurse(1);
    if (is("tells much")) return std::string(1 << 20, 'x') + std::to_string(lost());
    if (is("tells no text")) return "\xff\x01" + std::to_string(lost());
    if (is("loses")) return std::to_string(lost());
    return "even";
  }

 private:
  std::string recurse(int depth) {
    volatile char room[1000] = {};
    room[0] = static_cast<char>(depth);
    return recurse(depth + 1) + std::string(1, room[0]);
  }

  std::atomic<int> count_{0};
  int plain_ = 0;
  std::vector<char*> kept_;
};

}  // namespace

int main(int argc, char** argv) {
  auto description = plumb::describe<Subject>("Subject");
  if (!is("without operations")) {
    description.method("next", &Subject::next).method("odd", &Subject::odd);
  }
  if (is("for a thread that is not there")) description.only_on(5);
  if (is("twice the same")) description.method("next", &Subject::lost);
  return plumb::test(description).main(argc, argv);
}
