// SPDX-License-Identifier: MIT
#include <errno.h>
#include <pthread.h>

#include <chrono>
#include <mutex>
#include <thread>

#include "program.hpp"

using namespace std::chrono_literals;

PLUMB_HOLDS(counter) {
  std::mutex mutex;
  int count = 0;
  auto add = [&] {
    const std::lock_guard lock(mutex);
    ++count;
  };
  std::thread a(add), b(add);
  a.join();
  b.join();
  assert(count == 2);
}

PLUMB_FINDS("misuse", deleted_while_held) {
  struct Node {
    int value = 0;
    std::mutex mutex;
  };
  auto* const node = new Node;
  std::thread other([node] {
    node->mutex.lock();
    delete node;
  });
  other.join();
}

PLUMB_FINDS("misuse", out_of_scope_while_held) {
  std::thread other([] {
    std::mutex mutex;
    mutex.lock();
  });
  other.join();
}

PLUMB_FINDS("misuse", out_of_scope_while_held_on_the_first_thread) {
  std::mutex mutex;
  std::thread other([&mutex] { std::lock_guard lock(mutex); });
  other.join();
  mutex.lock();
}

PLUMB_HOLDS(deleted_after_it_was_held) {
  auto* const mutex = new std::mutex;
  std::thread other([mutex] { const std::lock_guard lock(*mutex); });
  other.join();
  delete mutex;
}

PLUMB_FINDS("race", counter_with_two_mutexes) {
  std::mutex mutexes[2];
  int count = 0;
  auto add = [&](int i) {
    const std::lock_guard lock(mutexes[i]);
    ++count;
  };
  std::thread a(add, 0), b(add, 1);
  a.join();
  b.join();
}

// Races are not findings here: so the lost update must be.
PLUMB_CASE("assertion", "--ignore race --preemptions 2", lost_update) {
  int count = 0;
  std::thread a([&] { ++count; });
  ++count;
  a.join();
  assert(count == 2);
}

PLUMB_FINDS("deadlock", lock_order) {
  std::mutex a, b;
  std::thread other([&] {
    const std::lock_guard first(a);
    const std::lock_guard second(b);
  });
  {
    const std::lock_guard first(b);
    const std::lock_guard second(a);
  }
  other.join();
}

PLUMB_HOLDS(scoped_lock_of_two) {
  std::mutex a, b;
  int count = 0;
  std::thread other([&] {
    const std::scoped_lock lock(a, b);
    ++count;
  });
  {
    const std::scoped_lock lock(b, a);
    ++count;
  }
  other.join();
  assert(count == 2);
}

PLUMB_FINDS("deadlock", never_unlocked) {
  std::mutex mutex;
  std::thread other([&] { mutex.lock(); });
  mutex.lock();
  mutex.unlock();
  other.join();
}

PLUMB_FINDS("deadlock", locked_twice) {
  std::mutex mutex;
  mutex.lock();
  std::thread other([] {});
  other.join();
  mutex.lock();
}

PLUMB_HOLDS(recursive) {
  std::recursive_mutex mutex;
  int count = 0;
  auto add = [&] {
    const std::lock_guard outer(mutex);
    const std::lock_guard inner(mutex);
    ++count;
  };
  std::thread other(add);
  add();
  other.join();
  assert(count == 2);
}

PLUMB_FINDS("race", recursive_unlocked_too_often) {
  std::recursive_mutex mutex;
  int count = 0;
  auto add = [&] {
    mutex.lock();
    mutex.unlock();
    ++count;
  };
  std::thread other(add);
  add();
  other.join();
}

PLUMB_HOLDS(try_lock_in_a_loop) {
  std::mutex mutex;
  int count = 0;
  auto add = [&] {
    while (!mutex.try_lock()) {}
    ++count;
    mutex.unlock();
  };
  std::thread other(add);
  add();
  other.join();
  assert(count == 2);
}

PLUMB_FINDS("assertion", try_lock_may_fail) {
  std::mutex mutex;
  std::thread other([&] { const std::lock_guard lock(mutex); });
  const bool got = mutex.try_lock();
  if (got) mutex.unlock();
  other.join();
  assert(got);
}

PLUMB_HOLDS(polls_with_a_lock) {
  std::mutex mutex;
  bool ready = false;
  std::thread other([&] {
    const std::lock_guard lock(mutex);
    ready = true;
  });
  for (bool seen = false; !seen;) {
    const std::lock_guard lock(mutex);
    seen = ready;
  }
  other.join();
}

PLUMB_HOLDS(timed) {
  std::timed_mutex mutex;
  int count = 0;
  std::thread other([&] {
    const std::lock_guard lock(mutex);
    ++count;
  });
  if (mutex.try_lock_for(1s)) {
    ++count;
    mutex.unlock();
  }
  other.join();
  assert(count == 1 || count == 2);
}

PLUMB_FINDS("assertion", timed_may_run_out) {
  std::timed_mutex mutex;
  std::thread other([&] { const std::lock_guard lock(mutex); });
  const bool got = mutex.try_lock_for(1s);
  if (got) mutex.unlock();
  other.join();
  assert(got);
}

// The only way on is that time runs out.
PLUMB_HOLDS(timed_out_of_a_deadlock) {
  std::timed_mutex mutex;
  mutex.lock();
  std::thread other([&] {
    const auto begin = std::chrono::steady_clock::now();
    assert(!mutex.try_lock_for(1h));
    assert(std::chrono::steady_clock::now() - begin >= 1h);
  });
  other.join();
  mutex.unlock();
}

PLUMB_FINDS("misuse", unlocked_by_another) {
  std::mutex mutex;
  mutex.lock();
  std::thread other([&] { mutex.unlock(); });
  other.join();
}

PLUMB_FINDS("misuse", destroyed_while_held) {
  pthread_mutex_t mutex;
  pthread_mutex_init(&mutex, nullptr);
  std::thread other([&] {
    pthread_mutex_lock(&mutex);
    std::this_thread::yield();
    pthread_mutex_unlock(&mutex);
  });
  other.detach();
  pthread_mutex_lock(&mutex);
  pthread_mutex_destroy(&mutex);
}

PLUMB_HOLDS(error_checking) {
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK);
  pthread_mutex_t mutex;
  pthread_mutex_init(&mutex, &attributes);
  assert(pthread_mutex_lock(&mutex) == 0);
  assert(pthread_mutex_lock(&mutex) == EDEADLK);
  std::thread other([&] { assert(pthread_mutex_unlock(&mutex) == EPERM); });
  other.join();
  assert(pthread_mutex_unlock(&mutex) == 0);
  assert(pthread_mutex_destroy(&mutex) == 0);
}

namespace {
std::mutex global_mutex;
int global_count;
}  // namespace

// Globals, also locks that were left held, are as at the start in each execution.
PLUMB_HOLDS(global_is_reset) {
  assert(global_count == 0);
  std::thread other([] {
    global_mutex.lock();
    ++global_count;
    global_mutex.unlock();
  });
  global_mutex.lock();
  ++global_count;
  global_mutex.unlock();
  other.join();
  global_mutex.lock();
}

PLUMB_HOLDS(pthread_spin) {
  pthread_spinlock_t spin;
  pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
  int count = 0;
  auto add = [&] {
    pthread_spin_lock(&spin);
    ++count;
    pthread_spin_unlock(&spin);
  };
  std::thread other(add);
  add();
  other.join();
  assert(count == 2);
  pthread_spin_destroy(&spin);
}

PLUMB_FINDS("deadlock", pthread_spin_twice) {
  pthread_spinlock_t spin;
  pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
  pthread_spin_lock(&spin);
  std::thread other([&] { pthread_spin_lock(&spin); });
  other.join();
}
