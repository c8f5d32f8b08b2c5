// SPDX-License-Identifier: MIT
#include <pthread.h>

#include <barrier>
#include <latch>
#include <thread>

#include "program.hpp"

PLUMB_HOLDS(posix) {
  pthread_barrier_t barrier;
  pthread_barrier_init(&barrier, nullptr, 2);
  int a = 0, b = 0;
  std::atomic<int> serial = 0;
  std::thread other([&] {
    a = 1;
    if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD) ++serial;
    assert(b == 1);
    if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD) ++serial;
    a = 2;
  });
  b = 1;
  if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD) ++serial;
  assert(a == 1);
  if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD) ++serial;
  other.join();
  assert(serial == 2);
  pthread_barrier_destroy(&barrier);
}

PLUMB_FINDS("deadlock", posix_for_too_many) {
  pthread_barrier_t barrier;
  pthread_barrier_init(&barrier, nullptr, 3);
  std::thread other([&] { pthread_barrier_wait(&barrier); });
  pthread_barrier_wait(&barrier);
  other.join();
}

PLUMB_FINDS("race", posix_for_one) {
  pthread_barrier_t barrier;
  pthread_barrier_init(&barrier, nullptr, 1);
  int value = 0;
  std::thread other([&] {
    value = 1;
    pthread_barrier_wait(&barrier);
  });
  pthread_barrier_wait(&barrier);
  assert(value == 1);
  other.join();
}

PLUMB_HOLDS(latch) {
  std::latch ready(1);
  int value = 0;
  std::thread other([&] {
    value = 1;
    ready.count_down();
  });
  ready.wait();
  assert(value == 1);
  other.join();
}

PLUMB_FINDS("deadlock", latch_for_too_many) {
  std::latch ready(2);
  std::thread other([&] { ready.count_down(); });
  ready.wait();
  other.join();
}

PLUMB_CASE(nullptr, "--strategy dfs --preemptions 1 --heap quarantine", phases) {
  int sum = 0;
  std::barrier barrier(2, [&]() noexcept { sum += 10; });
  std::thread other([&] { barrier.arrive_and_wait(); });
  barrier.arrive_and_wait();
  assert(sum == 10);
  other.join();
}

PLUMB_CASE("deadlock", "--strategy dfs --preemptions 1 --heap quarantine", phases_for_too_many) {
  std::barrier barrier(3);
  std::thread other([&] { barrier.arrive_and_wait(); });
  barrier.arrive_and_wait();
  other.join();
}
