// SPDX-License-Identifier: MIT
#include <errno.h>
#include <semaphore.h>

#include <semaphore>
#include <thread>

#include "program.hpp"

PLUMB_HOLDS(posix_as_mutex) {
  sem_t semaphore;
  sem_init(&semaphore, 0, 1);
  int count = 0;
  auto add = [&] {
    sem_wait(&semaphore);
    ++count;
    sem_post(&semaphore);
  };
  std::thread a(add), b(add);
  a.join();
  b.join();
  assert(count == 2);
  int value = 0;
  sem_getvalue(&semaphore, &value);
  assert(value == 1);
  sem_destroy(&semaphore);
}

PLUMB_FINDS("race", posix_lets_two_in) {
  sem_t semaphore;
  sem_init(&semaphore, 0, 2);
  int count = 0;
  auto add = [&] {
    sem_wait(&semaphore);
    ++count;
    sem_post(&semaphore);
  };
  std::thread a(add), b(add);
  a.join();
  b.join();
}

PLUMB_FINDS("deadlock", posix_one_too_few) {
  sem_t semaphore;
  sem_init(&semaphore, 0, 0);
  std::thread a([&] { sem_wait(&semaphore); }), b([&] { sem_wait(&semaphore); });
  sem_post(&semaphore);
  a.join();
  b.join();
}

PLUMB_HOLDS(posix_timed_and_tried) {
  sem_t semaphore;
  sem_init(&semaphore, 0, 0);
  assert(sem_trywait(&semaphore) == -1 && errno == EAGAIN);
  const timespec past = {1, 0};
  assert(sem_timedwait(&semaphore, &past) == -1 && errno == ETIMEDOUT);
  std::thread other([&] { sem_post(&semaphore); });
  while (sem_trywait(&semaphore) != 0) {}
  other.join();
}

PLUMB_HOLDS(binary) {
  std::binary_semaphore full(0);
  int value = 0;
  std::thread other([&] {
    value = 1;
    full.release();
  });
  full.acquire();
  assert(value == 1);
  other.join();
}

PLUMB_FINDS("deadlock", binary_never_released) {
  std::binary_semaphore full(0);
  std::thread other([&] { full.acquire(); });
  other.join();
}

PLUMB_CASE("race", "--strategy dfs --preemptions 1 --heap quarantine", counting_lets_two_in) {
  std::counting_semaphore<2> semaphore(2);
  int count = 0;
  auto add = [&] {
    semaphore.acquire();
    ++count;
    semaphore.release();
  };
  std::thread other(add);
  add();
  other.join();
}

PLUMB_CASE(nullptr, "--strategy dfs --preemptions 1 --heap quarantine", acquired_in_time) {
  std::binary_semaphore full(0);
  std::thread other([&] { full.release(); });
  if (!full.try_acquire_for(std::chrono::seconds(1))) full.acquire();
  other.join();
}
