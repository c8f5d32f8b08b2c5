// SPDX-License-Identifier: MIT
// What libraries tell ThreadSanitizer when they are compiled for it.
#include <atomic>
#include <thread>

#include "program.hpp"

extern "C" {
void AnnotateHappensBefore(const char* file, int line, const volatile void* p);
void AnnotateHappensAfter(const char* file, int line, const volatile void* p);
void AnnotateBenignRaceSized(const char* file, int line, const volatile void* p, std::size_t bytes,
                             const char* why);
void __tsan_acquire(void* p);
void __tsan_release(void* p);
}

namespace {
template <bool kAnnotated>
void hand_over() {
  int value = 0;
  std::atomic<bool> ready = false;
  std::thread other([&] {
    value = 1;
    if (kAnnotated) AnnotateHappensBefore(__FILE__, __LINE__, &value);
    ready.store(true, std::memory_order_relaxed);
  });
  if (ready.load(std::memory_order_relaxed)) {
    if (kAnnotated) AnnotateHappensAfter(__FILE__, __LINE__, &value);
    assert(value == 1);
  }
  other.join();
}
}  // namespace

PLUMB_HOLDS(order_is_believed) { hand_over<true>(); }
PLUMB_FINDS("race", order_is_missing) { hand_over<false>(); }

PLUMB_HOLDS(benign) {
  int count = 0;
  AnnotateBenignRaceSized(__FILE__, __LINE__, &count, sizeof count, "a statistic");
  std::thread other([&] { ++count; });
  ++count;
  other.join();
}

PLUMB_FINDS("assertion", benign_but_points) {
  int count = 0;
  AnnotateBenignRaceSized(__FILE__, __LINE__, &count, sizeof count, "it is not");
  std::thread other([&] { ++count; });
  ++count;
  other.join();
  assert(count == 2);
}
