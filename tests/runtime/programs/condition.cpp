// SPDX-License-Identifier: MIT
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "program.hpp"

using namespace std::chrono_literals;

PLUMB_HOLDS(with_predicate) {
  std::mutex mutex;
  std::condition_variable changed;
  bool ready = false;
  int value = 0;
  std::thread other([&] {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return ready; });
    assert(value == 1);
  });
  {
    const std::lock_guard lock(mutex);
    value = 1;
    ready = true;
  }
  changed.notify_one();
  other.join();
}

PLUMB_FINDS("deadlock", lost_wake_up) {
  std::mutex mutex;
  std::condition_variable changed;
  std::thread other([&] {
    std::unique_lock lock(mutex);
    changed.wait(lock);
  });
  changed.notify_one();
  other.join();
}

// The flag is set without the mutex, between the waiter's look at it and its wait.
PLUMB_FINDS("deadlock", set_without_the_mutex) {
  std::mutex mutex;
  std::condition_variable changed;
  std::atomic<bool> ready = false;
  std::thread other([&] {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return ready.load(); });
  });
  ready = true;
  changed.notify_one();
  other.join();
}

namespace {
struct Queue {
  std::mutex mutex;
  std::condition_variable changed;
  int items = 0;
  void put() {
    const std::lock_guard lock(mutex);
    ++items;
    changed.notify_one();
  }
};
}  // namespace

// A waiter is woken, but another took the item before it has the mutex again.
PLUMB_FINDS("assertion", if_instead_of_while) {
  Queue queue;
  auto take = [&] {
    std::unique_lock lock(queue.mutex);
    if (queue.items == 0) queue.changed.wait(lock);
    assert(queue.items > 0);
    --queue.items;
  };
  std::thread a(take), b(take);
  queue.put();
  queue.put();
  a.join();
  b.join();
}

PLUMB_HOLDS(two_consumers) {
  Queue queue;
  auto take = [&] {
    std::unique_lock lock(queue.mutex);
    queue.changed.wait(lock, [&] { return queue.items > 0; });
    --queue.items;
  };
  std::thread a(take), b(take);
  queue.put();
  queue.put();
  a.join();
  b.join();
  assert(queue.items == 0);
}

// One condition for two purposes: notify_one may wake the one that cannot use it. Which one is
// woken is explored.
PLUMB_FINDS("deadlock", wrong_one_is_woken) {
  std::mutex mutex;
  std::condition_variable changed;
  int state = 0;
  auto wait_for = [&](int wanted) {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return state >= wanted; });
  };
  std::thread a(wait_for, 1), b(wait_for, 2);
  {
    const std::lock_guard lock(mutex);
    state = 1;
  }
  changed.notify_one();
  a.join();
  {
    const std::lock_guard lock(mutex);
    state = 2;
  }
  changed.notify_one();
  b.join();
}

PLUMB_HOLDS(notify_all_wakes_all) {
  std::mutex mutex;
  std::condition_variable changed;
  bool ready = false;
  auto wait = [&] {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return ready; });
  };
  std::thread a(wait), b(wait);
  {
    const std::lock_guard lock(mutex);
    ready = true;
  }
  changed.notify_all();
  a.join();
  b.join();
}

PLUMB_CASE("assertion", "--spurious --preemptions 2 --heap quarantine", spurious_wake_up) {
  std::mutex mutex;
  std::condition_variable changed;
  bool ready = false;
  std::thread other([&] {
    std::unique_lock lock(mutex);
    if (!ready) changed.wait(lock);
    assert(ready);
  });
  {
    const std::lock_guard lock(mutex);
    ready = true;
    changed.notify_one();
  }
  other.join();
}

PLUMB_HOLDS(timed_wait) {
  std::mutex mutex;
  std::condition_variable changed;
  bool ready = false;
  std::thread other([&] {
    const std::lock_guard lock(mutex);
    ready = true;
    changed.notify_one();
  });
  {
    std::unique_lock lock(mutex);
    const auto begin = std::chrono::steady_clock::now();
    if (!changed.wait_for(lock, 1s, [&] { return ready; })) {
      assert(std::chrono::steady_clock::now() - begin >= 1s);
    }
  }
  other.join();
}

PLUMB_FINDS("assertion", timed_wait_may_run_out) {
  std::mutex mutex;
  std::condition_variable changed;
  bool ready = false;
  std::thread other([&] {
    const std::lock_guard lock(mutex);
    ready = true;
    changed.notify_one();
  });
  bool in_time = false;
  {
    std::unique_lock lock(mutex);
    in_time = changed.wait_for(lock, 1s, [&] { return ready; });
  }
  other.join();
  assert(in_time);
}

PLUMB_HOLDS(timed_wait_for_nobody) {
  std::mutex mutex;
  std::condition_variable changed;
  std::unique_lock lock(mutex);
  assert(changed.wait_until(lock, std::chrono::system_clock::now() + 1h) ==
         std::cv_status::timeout);
}

PLUMB_FINDS("misuse", destroyed_under_a_waiter) {
  auto* changed = new std::condition_variable;
  std::mutex mutex;
  bool waits = false;
  std::thread other([&] {
    std::unique_lock lock(mutex);
    waits = true;
    changed->wait(lock);
  });
  for (bool seen = false; !seen;) {
    const std::lock_guard lock(mutex);
    seen = waits;
  }
  delete changed;
  other.join();
}

PLUMB_HOLDS(condition_any) {
  std::mutex mutex;
  std::condition_variable_any changed;
  bool ready = false;
  std::thread other([&] {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return ready; });
  });
  {
    const std::lock_guard lock(mutex);
    ready = true;
  }
  changed.notify_one();
  other.join();
}
