// SPDX-License-Identifier: MIT
#include <chrono>
#include <mutex>
#include <shared_mutex>
#include <thread>

#include "program.hpp"

using namespace std::chrono_literals;

PLUMB_HOLDS(readers_and_a_writer) {
  std::shared_mutex mutex;
  int a = 0, b = 0;
  auto read = [&] {
    const std::shared_lock lock(mutex);
    assert(a == b);
  };
  std::thread reader(read), other_reader(read);
  {
    const std::unique_lock lock(mutex);
    ++a;
    ++b;
  }
  reader.join();
  other_reader.join();
}

PLUMB_FINDS("race", writes_under_a_shared_lock) {
  std::shared_mutex mutex;
  int count = 0;
  auto add = [&] {
    const std::shared_lock lock(mutex);
    ++count;
  };
  std::thread other(add);
  add();
  other.join();
}

// Readers can be in it at the same time: each waits for the other in there.
PLUMB_HOLDS(readers_meet) {
  std::shared_mutex mutex;
  std::atomic<int> inside = 0;
  auto meet = [&] {
    const std::shared_lock lock(mutex);
    ++inside;
    while (inside < 2) std::this_thread::yield();
  };
  std::thread other(meet);
  meet();
  other.join();
}

PLUMB_FINDS("livelock", writers_do_not_meet) {
  std::shared_mutex mutex;
  std::atomic<int> inside = 0;
  auto meet = [&] {
    const std::unique_lock lock(mutex);
    ++inside;
    while (inside < 2) std::this_thread::yield();
  };
  std::thread other(meet);
  meet();
  other.join();
}

PLUMB_FINDS("deadlock", upgrade) {
  std::shared_mutex a, b;
  std::thread other([&] {
    const std::shared_lock first(a);
    const std::unique_lock second(b);
  });
  {
    const std::shared_lock first(b);
    const std::unique_lock second(a);
  }
  other.join();
}

PLUMB_HOLDS(timed_and_tried) {
  std::shared_timed_mutex mutex;
  int count = 0;
  std::thread other([&] {
    if (mutex.try_lock()) {
      ++count;
      mutex.unlock();
    }
  });
  if (mutex.try_lock_for(1s)) {
    ++count;
    mutex.unlock();
  }
  if (mutex.try_lock_shared_for(1s)) mutex.unlock_shared();
  other.join();
  assert(count <= 2);
}

PLUMB_FINDS("misuse", unlocked_by_nobody) {
  pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
  std::thread other([&] { pthread_rwlock_unlock(&lock); });
  other.join();
}
