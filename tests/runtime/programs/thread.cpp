// SPDX-License-Identifier: MIT
#include <errno.h>
#include <pthread.h>

#include <future>
#include <stdexcept>
#include <stop_token>
#include <thread>

#include "program.hpp"

PLUMB_HOLDS(join_orders) {
  int value = 0;
  std::thread other([&] { value = 1; });
  other.join();
  assert(value == 1);
}

PLUMB_FINDS("race", read_before_join) {
  int value = 0;
  std::thread other([&] { value = 1; });
  const int seen = value;
  other.join();
  assert(seen == 0 || seen == 1);
}

PLUMB_FINDS("assertion", never_joined) {
  std::thread other([] {});
}

PLUMB_HOLDS(jthread_stops) {
  std::atomic<bool> saw = false;
  {
    std::jthread other([&](std::stop_token stop) {
      while (!stop.stop_requested()) std::this_thread::yield();
      saw = true;
    });
  }
  assert(saw);
}

PLUMB_FINDS("livelock", jthread_does_not_look) {
  std::atomic<bool> stop = false;
  std::jthread other([&](std::stop_token) {
    while (!stop) std::this_thread::yield();
  });
}

PLUMB_HOLDS(future_carries) {
  std::future<int> answer = std::async(std::launch::async, [] { return 42; });
  assert(answer.get() == 42);
}

PLUMB_HOLDS(future_carries_exceptions) {
  std::future<void> answer = std::async(std::launch::async, [] { throw std::runtime_error("no"); });
  bool caught = false;
  try {
    answer.get();
  } catch (const std::runtime_error&) { caught = true; }
  assert(caught);
}

PLUMB_FINDS("deadlock", promise_that_is_not_kept) {
  std::promise<void> a, b;
  std::thread other([&] {
    b.get_future().wait();
    a.set_value();
  });
  a.get_future().wait();
  b.set_value();
  other.join();
}

PLUMB_HOLDS(future_in_time) {
  std::promise<int> promise;
  std::future<int> answer = promise.get_future();
  std::thread other([&] { promise.set_value(1); });
  const auto status = answer.wait_for(std::chrono::seconds(1));
  assert(status == std::future_status::ready || status == std::future_status::timeout);
  assert(answer.get() == 1);
  other.join();
}

PLUMB_FINDS("assertion", future_not_in_time) {
  std::promise<int> promise;
  std::future<int> answer = promise.get_future();
  std::thread other([&] { promise.set_value(1); });
  const auto status = answer.wait_for(std::chrono::seconds(1));
  other.join();
  assert(status == std::future_status::ready);
}

namespace {
struct Counts {
  int* count;
  ~Counts() { ++*count; }
};
}  // namespace

PLUMB_HOLDS(exit_unwinds) {
  int destroyed = 0;
  pthread_t id;
  pthread_create(
      &id, nullptr,
      [](void* count) -> void* {
        const Counts counts{static_cast<int*>(count)};
        pthread_exit(count);
      },
      &destroyed);
  void* result = nullptr;
  pthread_join(id, &result);
  assert(result == &destroyed);
  assert(destroyed == 1);
}

PLUMB_HOLDS(joins_of_all_kinds) {
  pthread_t id;
  std::atomic<bool> go = false;
  pthread_create(
      &id, nullptr,
      [](void* flag) -> void* {
        while (!*static_cast<std::atomic<bool>*>(flag)) std::this_thread::yield();
        return nullptr;
      },
      &go);
  assert(pthread_tryjoin_np(id, nullptr) == EBUSY);
  const timespec past = {1, 0};
  assert(pthread_timedjoin_np(id, nullptr, &past) == ETIMEDOUT);
  go = true;
  assert(pthread_join(id, nullptr) == 0);
  assert(pthread_join(pthread_self(), nullptr) == EDEADLK);
}

PLUMB_HOLDS(detached) {
  std::atomic<int>* const count = new std::atomic<int>;
  std::thread([count] { ++*count; }).detach();
  ++*count;
}

PLUMB_HOLDS(threads_make_threads) {
  std::atomic<int> count = 0;
  std::thread outer([&] {
    std::thread inner([&] { ++count; });
    ++count;
    inner.join();
  });
  outer.join();
  assert(count == 2);
}

PLUMB_FINDS("exception", leaves_a_thread) {
  pthread_t id;
  pthread_create(
      &id, nullptr, [](void*) -> void* { throw std::runtime_error("out"); }, nullptr);
  pthread_join(id, nullptr);
}

namespace {

// 16 MiB, of which the ends are used: between them lie the stacks of other threads, or would.
__attribute__((noinline)) void large_frame() {
  char much[std::size_t{16} << 20];
  char* volatile kept = much;  // no compiler may do without it
  kept[0] = kept[sizeof much - 1] = 1;
}

}  // namespace

PLUMB_FINDS("crash", frame_larger_than_the_stack) {
  std::thread first([] {}), second(large_frame);
  first.join();
  second.join();
}
