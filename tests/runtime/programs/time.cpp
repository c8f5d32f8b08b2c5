// SPDX-License-Identifier: MIT
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "program.hpp"

using namespace std::chrono_literals;

// Sleeping for long is no synchronisation.
PLUMB_FINDS("race", sleep_does_not_order) {
  int value = 0;
  std::thread other([&] { value = 1; });
  std::this_thread::sleep_for(1h);
  const int seen = value;
  other.join();
  assert(seen == 1 || seen == 0);
}

PLUMB_HOLDS(sleep_takes_its_time) {
  const auto begin = std::chrono::steady_clock::now();
  std::atomic<int> count = 0;
  std::thread other([&] {
    std::this_thread::sleep_for(1h);
    ++count;
  });
  usleep(1000);
  sleep(1);
  other.join();
  assert(std::chrono::steady_clock::now() - begin >= 1h);
}

PLUMB_HOLDS(loop_until_a_deadline) {
  std::atomic<bool> ready = false;
  std::thread other([&] { ready = true; });
  const auto deadline = std::chrono::steady_clock::now() + 1s;
  while (!ready && std::chrono::steady_clock::now() < deadline) {}
  other.join();
}

PLUMB_FINDS("assertion", deadline_may_pass) {
  std::atomic<bool> ready = false;
  std::thread other([&] { ready = true; });
  const auto deadline = std::chrono::system_clock::now() + 1s;
  while (!ready && std::chrono::system_clock::now() < deadline) {}
  const bool in_time = ready;
  other.join();
  assert(in_time);
}

PLUMB_HOLDS(clocks_go_forward) {
  std::atomic<long> last = 0;
  auto look = [&] {
    const long before = last;
    timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    const long nanoseconds = now.tv_sec * 1'000'000'000 + now.tv_nsec;
    assert(nanoseconds > before);
    last = nanoseconds;
  };
  std::thread other(look);
  look();
  other.join();
  assert(time(nullptr) > 1'000'000'000);
}
