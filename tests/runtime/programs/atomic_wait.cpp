// SPDX-License-Identifier: MIT
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "program.hpp"

PLUMB_HOLDS(notified) {
  std::atomic<int> flag = 0;
  int value = 0;
  std::thread other([&] {
    value = 1;
    flag = 1;
    flag.notify_one();
  });
  flag.wait(0);
  assert(value == 1);
  other.join();
}

PLUMB_FINDS("deadlock", not_notified) {
  std::atomic<int> flag = 0;
  std::thread other([&] { flag = 1; });
  flag.wait(0);
  other.join();
}

PLUMB_HOLDS(flag_notified) {
  std::atomic_flag flag;
  std::thread other([&] {
    flag.test_and_set();
    flag.notify_all();
  });
  flag.wait(false);
  other.join();
}

// Of a size that is not a futex's: by a proxy.
PLUMB_CASE(nullptr, "--strategy dfs --preemptions 1 --heap quarantine", long_notified) {
  std::atomic<long> flag = 0;
  std::thread other([&] {
    flag = 1;
    flag.notify_all();
  });
  flag.wait(0);
  other.join();
}

namespace {
long futex(std::atomic<int>& word, int operation, int value) {
  return syscall(SYS_futex, reinterpret_cast<int*>(&word), operation, value, nullptr, nullptr, 0);
}

// Drepper, Futexes are tricky, 2011: mutex 2. 0 free, 1 taken, 2 taken, perhaps with waiters.
struct FutexMutex {
  std::atomic<int> word = 0;
  void lock() {
    int seen = 0;
    if (word.compare_exchange_strong(seen, 1)) return;
    if (seen != 2) seen = word.exchange(2);
    while (seen != 0) {
      futex(word, FUTEX_WAIT_PRIVATE, 2);
      seen = word.exchange(2);
    }
  }
  void unlock(bool wake = true) {
    if (word.fetch_sub(1) != 1) {
      word = 0;
      if (wake) futex(word, FUTEX_WAKE_PRIVATE, 1);
    }
  }
};
}  // namespace

PLUMB_HOLDS(futex_mutex) {
  FutexMutex mutex;
  int count = 0;
  auto add = [&] {
    mutex.lock();
    ++count;
    mutex.unlock();
  };
  std::thread a(add), b(add);
  a.join();
  b.join();
  assert(count == 2);
}

PLUMB_FINDS("deadlock", futex_mutex_that_wakes_nobody) {
  FutexMutex mutex;
  auto use = [&] {
    mutex.lock();
    mutex.unlock(false);
  };
  std::thread a(use), b(use);
  a.join();
  b.join();
}

PLUMB_HOLDS(threads_have_numbers) {
  long a = 0, b = 0;
  std::thread first([&] { a = syscall(SYS_gettid); });
  std::thread second([&] { b = gettid(); });
  first.join();
  second.join();
  assert(a != b);
}
