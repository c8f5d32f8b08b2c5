// SPDX-License-Identifier: MIT
// A thread that is the only one left and waits.
#include "program.hpp"

#include <atomic>
#include <chrono>
#include <thread>

namespace {

std::atomic<int> value{0};

}  // namespace

PLUMB_FINDS("livelock", the_others_have_ended) {
  std::thread other([] { value = 1; });
  other.join();
  while (value != 2) {}
}

PLUMB_FINDS("livelock", the_other_is_not_joined) {
  std::thread other([] {
    int expected = 0;
    value.compare_exchange_strong(expected, 1);
  });
  while (value != 2) std::this_thread::yield();
  other.join();
}

PLUMB_FINDS("livelock", there_never_was_another) {
  int expected = 5;
  while (!value.compare_exchange_weak(expected, 6)) expected = 5;
}

PLUMB_FINDS("livelock", asleep_again_and_again) {
  while (value == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

PLUMB_HOLDS(loop_that_ends) {
  std::thread other([] { ++value; });
  other.join();
  for (int i = 0; i < 5000 && value == 1; ++i) {}
  for (int i = 0; i < 5000; ++i) assert(value == 1);
}

PLUMB_HOLDS(deadline) {
  std::thread other([] { ++value; });
  other.join();
  const auto end = std::chrono::steady_clock::now() + std::chrono::hours(1);
  while (value == 1 && std::chrono::steady_clock::now() < end) {}
  for (int i = 0; i < 2000; ++i) assert(value == 1);
  const auto later = std::chrono::steady_clock::now() + std::chrono::hours(1);
  while (value == 1 && std::chrono::steady_clock::now() < later)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

PLUMB_HOLDS(changes_by_itself) {
  std::thread other([] {});
  other.join();
  while (value < 5000) {
    if (value.load() == value.load()) ++value;
  }
}
