// SPDX-License-Identifier: MIT
#include <pthread.h>

#include <mutex>
#include <stdexcept>
#include <thread>

#include "program.hpp"

PLUMB_HOLDS(call_once_calls_once) {
  std::once_flag once;
  int value = 0;
  auto use = [&] {
    std::call_once(once, [&] { ++value; });
    assert(value == 1);
  };
  std::thread a(use), b(use);
  use();
  a.join();
  b.join();
}

PLUMB_HOLDS(call_once_throws) {
  std::once_flag once;
  int calls = 0;
  auto use = [&] {
    try {
      std::call_once(once, [&] {
        if (++calls == 1) throw std::runtime_error("not yet");
      });
    } catch (const std::runtime_error&) {}
  };
  std::thread other(use);
  use();
  other.join();
  assert(calls == 2);
}

PLUMB_FINDS("race", flag_instead_of_once) {
  bool done = false;
  int value = 0;
  auto use = [&] {
    if (!done) {
      value = 1;
      done = true;
    }
  };
  std::thread other(use);
  use();
  other.join();
}

namespace {
pthread_once_t pthread_once_control = PTHREAD_ONCE_INIT;
int initialised;
void initialise() { ++initialised; }
}  // namespace

PLUMB_HOLDS(pthread_once_is_reset) {
  assert(initialised == 0);
  std::thread other([] { pthread_once(&pthread_once_control, initialise); });
  pthread_once(&pthread_once_control, initialise);
  assert(initialised == 1);
  other.join();
}

PLUMB_FINDS("deadlock", once_inside_itself) {
  static std::once_flag once;
  std::thread other([] { std::call_once(once, [] { std::call_once(once, [] {}); }); });
  other.join();
}

namespace {
struct Slow {
  explicit Slow(int n) : value(n) {}
  int value;
};
int made;
Slow& local_static() {
  static Slow slow(++made);
  return slow;
}
}  // namespace

PLUMB_HOLDS(function_local_static) {
  assert(made == 0);
  std::thread other([] { assert(local_static().value == 1); });
  assert(local_static().value == 1);
  other.join();
  assert(made == 1);
}

PLUMB_FINDS("race", static_that_is_changed) {
  auto use = [] {
    static int count = 0;
    ++count;
  };
  std::thread other(use);
  use();
  other.join();
}
