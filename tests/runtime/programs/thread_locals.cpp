// SPDX-License-Identifier: MIT
#include <pthread.h>

#include <atomic>
#include <thread>

#include "program.hpp"

namespace {

thread_local int mine = 5;
std::atomic<int> destroyed;

struct Noisy {
  int value = 7;
  ~Noisy() { ++destroyed; }
};
thread_local Noisy noisy;

}  // namespace

// In each execution anew, main's too.
PLUMB_HOLDS(each_has_its_own) {
  assert(mine == 5);
  std::thread other([] {
    assert(mine == 5);
    mine = 6;
  });
  mine = 8;
  other.join();
  assert(mine == 8);
}

PLUMB_FINDS("assertion", not_shared) {
  std::thread other([] { mine = 6; });
  other.join();
  assert(mine == 6);
}

PLUMB_HOLDS(destructors_run) {
  assert(destroyed == 0);
  std::thread other([] { assert(noisy.value == 7); });
  other.join();
  assert(destroyed == 1);
}

PLUMB_FINDS("race", destructor_races) {
  static int last = 0;
  struct Writes {
    ~Writes() { ++last; }
  };
  auto use = [] {
    thread_local Writes writes;
    (void)&writes;
  };
  std::thread a(use), b(use);
  a.join();
  b.join();
}

PLUMB_HOLDS(keys) {
  static pthread_key_t key;
  static int ended;
  ended = 0;
  assert(pthread_key_create(&key, [](void* value) { ended += *static_cast<int*>(value); }) == 0);
  assert(pthread_getspecific(key) == nullptr);
  int one = 1;
  pthread_setspecific(key, &one);
  std::thread other([] {
    assert(pthread_getspecific(key) == nullptr);
    static int two = 2;
    pthread_setspecific(key, &two);
  });
  other.join();
  assert(ended == 2);
  assert(pthread_getspecific(key) == &one);
  pthread_key_delete(key);
}

PLUMB_FINDS("assertion", key_without_a_value) {
  static pthread_key_t key;
  pthread_key_create(&key, nullptr);
  pthread_setspecific(key, &key);
  std::thread other([] { assert(pthread_getspecific(key) != nullptr); });
  other.join();
}
