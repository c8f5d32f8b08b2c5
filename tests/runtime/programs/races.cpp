// SPDX-License-Identifier: MIT
// What is told of races: both sides with their calls, and all of them if asked for.
#include "program.hpp"

#include <atomic>
#include <memory>
#include <thread>

int first = 0, second = 0, third = 0;

__attribute__((noinline)) void touch_first() { first = 1; }
__attribute__((noinline)) void touch_second() { second = 1; }
__attribute__((noinline)) void touch_third() { third = 1; }
__attribute__((noinline)) void frees_it(int* p) { delete p; }
__attribute__((noinline)) void uses_it(int* p) { *p = 1; }

namespace {

std::atomic<int> steps{0};

void all_three() {
  touch_first();
  steps.fetch_add(1, std::memory_order_relaxed);
  touch_second();
  steps.fetch_add(1, std::memory_order_relaxed);
  touch_third();
}

void one_after_the_other() {
  std::thread other(all_three);
  all_three();
  other.join();
}

void freed_and_used() {
  int* const p = new int(0);
  std::thread other(uses_it, p);
  frees_it(p);
  other.join();
}

}  // namespace

// The report names the functions.
PLUMB_CASE("touch_first()", "--keep-going", first_of_three) { one_after_the_other(); }
PLUMB_CASE("touch_second()", "--keep-going", second_of_three) { one_after_the_other(); }
PLUMB_CASE("touch_third()", "--keep-going", third_of_three) { one_after_the_other(); }

PLUMB_FINDS("uses_it(int*)", one_side) { freed_and_used(); }
PLUMB_FINDS("frees_it(int*)", the_other_side) { freed_and_used(); }

PLUMB_UNDECIDED("executions had more than 32 threads, the limit of the explorer",
                too_many_threads) {
  std::thread all[40];
  for (std::thread& thread : all) {
    thread = std::thread([] {});
    thread.join();
  }
}
