// SPDX-License-Identifier: MIT
#include <stdlib.h>
#include <sys/random.h>

#include <atomic>
#include <random>
#include <thread>

#include "program.hpp"

PLUMB_FINDS("assertion", rand_is_explored) {
  std::atomic<int> count = 0;
  std::thread other([&] { count += rand() % 2; });
  count += rand() % 2;
  other.join();
  assert(count < 2);
}

PLUMB_HOLDS(only_the_least_two_numbers_are_tried) {
  std::atomic<int> most = 0;
  std::thread other([&] { ++most; });
  most += rand() % 3;
  other.join();
  assert(most < 3);
}

PLUMB_CASE("assertion", "--random-values 3", as_many_as_were_asked_for_are_tried) {
  std::atomic<int> most = 0;
  std::thread other([&] { ++most; });
  most += rand() % 3;
  other.join();
  assert(most < 3);
}

PLUMB_FINDS("assertion", device_is_explored) {
  std::atomic<int> count = 0;
  std::random_device device;
  std::thread other([&] { ++count; });
  if (device() % 2 == 1) ++count;
  other.join();
  assert(count == 1);
}

// The generators of the library are code like other code: the same seed, the same numbers.
PLUMB_HOLDS(generators_repeat) {
  unsigned seed = 0;
  getrandom(&seed, sizeof seed, 0);
  std::mt19937 a(seed), b(seed);
  std::atomic<unsigned> first = 0;
  std::thread other([&] { first = static_cast<unsigned>(a()); });
  const auto second = static_cast<unsigned>(b());
  other.join();
  assert(first == second);
}

// A skip list's levels: a loop that goes on while the coin shows heads.
PLUMB_HOLDS(coins_end) {
  std::atomic<int> levels = 0;
  std::thread other([&] { ++levels; });
  while (random() & 1) ++levels;
  while (drand48() >= 0.5) ++levels;
  other.join();
  assert(levels >= 1);
}
