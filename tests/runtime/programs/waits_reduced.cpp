// SPDX-License-Identifier: MIT
// Threads that wait for each other, by partial-order reduction. The first execution shows none of
// the findings: a race with a wait has to be reversed for each.
#include <semaphore.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "program.hpp"

static constexpr char kReduced[] = "--strategy dpor --heap quarantine";

PLUMB_CASE("assertion", kReduced, posted_before_it_stores) {
  sem_t semaphore;
  sem_init(&semaphore, 0, 0);
  std::atomic<int> x = 0;
  std::thread other([&] {
    sem_post(&semaphore);
    x.store(1);
  });
  sem_wait(&semaphore);
  assert(x.load() == 1);
  other.join();
}

PLUMB_CASE("assertion", kReduced, time_runs_out_before_the_unlock) {
  std::timed_mutex mutex;
  std::atomic<int> x = 0;
  std::thread other([&] {
    mutex.lock();
    x.fetch_add(1);
    mutex.unlock();
  });
  x.fetch_add(1);
  assert(mutex.try_lock_for(std::chrono::seconds(1)));
  mutex.unlock();
  other.join();
}

PLUMB_CASE("assertion", kReduced, tried_before_or_after) {
  std::mutex mutex;
  std::atomic<int> count = 0;
  std::thread tries([&] {
    if (!mutex.try_lock()) return;
    count.fetch_add(1);
    mutex.unlock();
  });
  std::thread locks([&] {
    mutex.lock();
    count.fetch_add(1);
    mutex.unlock();
  });
  tries.join();
  locks.join();
  assert(count.load() == 2);
}

PLUMB_CASE("deadlock", kReduced, signal_without_the_mutex) {
  std::mutex mutex;
  std::condition_variable condition;
  std::thread other([&] { condition.notify_one(); });
  {
    std::unique_lock lock(mutex);
    condition.wait(lock);
  }
  other.join();
}

PLUMB_CASE(nullptr, kReduced, timed_and_untimed) {
  std::mutex mutex;
  std::condition_variable condition;
  bool ready = false;
  std::thread timed([&] {
    std::unique_lock lock(mutex);
    condition.wait_for(lock, std::chrono::seconds(1), [&] { return ready; });
  });
  std::thread untimed([&] {
    std::unique_lock lock(mutex);
    condition.wait(lock, [&] { return ready; });
  });
  {
    std::lock_guard lock(mutex);
    ready = true;
  }
  condition.notify_all();
  timed.join();
  untimed.join();
}
