// SPDX-License-Identifier: MIT
// Random numbers. What the program does with one is up to the number, so it is a choice like those
// of the schedule. Of all its values only the least Options::random_values are tried (2: heads and
// tails; code that draws one of n needs --random-values n), and any but 0 costs a preemption, so
// that a bound on those bounds loops that continue while the dice fall that way. After kExplored
// numbers in an execution the rest follow from their position: a loop that never ends unless the
// dice change must end in every execution.
//
// Seeds are ignored: std::mt19937 and its like are the program's own code, and need no hook.
#include <errno.h>
#include <stdlib.h>
#include <sys/random.h>

#include <random>

#include "runtime/base/bytes.hpp"
#include "runtime/base/random.hpp"
#include "runtime/base/real.hpp"
#include "runtime/hooks/hook.hpp"
#include "runtime/schedule/execution.hpp"

namespace plumb::runtime {
namespace {

constexpr std::uint64_t kExplored = 16;

struct {
  std::uint64_t execution = 0;
  std::uint64_t count = 0;
} asked;

std::uint64_t scrambled(std::uint64_t n) {
  n = (n + 1) * 0x9e3779b97f4a7c15;
  n = (n ^ n >> 30) * 0xbf58476d1ce4e5b9;
  return n ^ n >> 31;
}

}  // namespace

std::uint64_t explored_random() {
  Execution& e = execution;
  if (asked.execution != e.number) asked = {e.number, 0};
  const std::uint64_t values = e.options.random_values < 1 ? 1 : e.options.random_values;
  // The order in which threads ask decides who is asked late.
  e.depends_on({reinterpret_cast<std::uint64_t>(&asked), sizeof asked, Touch::write});
  if (asked.count++ >= kExplored) return scrambled(asked.count) % values;
  return static_cast<std::uint64_t>(e.choose(static_cast<int>(values), 1));
}

void fill_random(void* buffer, std::size_t bytes) {
  const std::uint64_t first = explored_random();
  auto* const to = static_cast<unsigned char*>(buffer);
  for (std::size_t i = 0; i < bytes; i += sizeof first) {
    const std::uint64_t word = i == 0 ? first : scrambled(first + i);
    copy_bytes(to + i, &word, bytes - i < sizeof word ? bytes - i : sizeof word);
  }
}

namespace {

double fraction() {
  const int values = execution.options.random_values;
  return values < 1 ? 0 : static_cast<double>(explored_random()) / values;
}

}  // namespace
}  // namespace plumb::runtime

using namespace plumb::runtime;

PLUMB_HOOK int rand() { return inside() ? static_cast<int>(explored_random()) : real().rand(); }
PLUMB_HOOK void srand(unsigned seed) {
  if (!inside()) real().srand(seed);
}
PLUMB_HOOK int rand_r(unsigned* seed) {
  return inside() ? static_cast<int>(explored_random()) : real().rand_r(seed);
}
PLUMB_HOOK long random() {
  return inside() ? static_cast<long>(explored_random()) : real().random();
}
PLUMB_HOOK void srandom(unsigned seed) {
  if (!inside()) real().srandom(seed);
}
PLUMB_HOOK long lrand48() {
  return inside() ? static_cast<long>(explored_random()) : real().lrand48();
}
PLUMB_HOOK long mrand48() {
  return inside() ? static_cast<long>(explored_random()) : real().mrand48();
}
PLUMB_HOOK double drand48() { return inside() ? fraction() : real().drand48(); }
PLUMB_HOOK double erand48(unsigned short state[3]) {
  return inside() ? fraction() : real().erand48(state);
}
PLUMB_HOOK void srand48(long seed) {
  if (!inside()) real().srand48(seed);
}

PLUMB_HOOK ssize_t getrandom(void* buffer, std::size_t bytes, unsigned flags) {
  if (!inside()) return real().getrandom(buffer, bytes, flags);
  fill_random(buffer, bytes);
  return static_cast<ssize_t>(bytes);
}
PLUMB_HOOK int getentropy(void* buffer, std::size_t bytes) {
  if (!inside()) return real().getentropy(buffer, bytes);
  if (bytes > 256) {
    errno = EIO;
    return -1;
  }
  fill_random(buffer, bytes);
  return 0;
}

// glibc has these since 2.36.
PLUMB_HOOK std::uint32_t arc4random() {
  if (inside()) return static_cast<std::uint32_t>(explored_random());
  std::uint32_t result = 0;
  real().getentropy(&result, sizeof result);
  return result;
}
PLUMB_HOOK void arc4random_buf(void* buffer, std::size_t bytes) {
  if (inside()) {
    fill_random(buffer, bytes);
    return;
  }
  for (std::size_t i = 0; i < bytes; i += 256) {
    real().getentropy(static_cast<char*>(buffer) + i, bytes - i < 256 ? bytes - i : 256);
  }
}
PLUMB_HOOK std::uint32_t arc4random_uniform(std::uint32_t bound) {
  if (inside()) return bound < 2 ? 0 : static_cast<std::uint32_t>(explored_random() % bound);
  // Without bias: what lies above the last full multiple is drawn again.
  for (;;) {
    const std::uint32_t drawn = arc4random();
    if (bound < 2) return 0;
    if (drawn >= -bound % bound) return drawn % bound;
  }
}

// libstdc++ asks the processor (rdrand, rdseed) inside its own library.
__attribute__((visibility("default"))) std::random_device::result_type
std::random_device::_M_getval() {
  return arc4random();
}
__attribute__((visibility("default"))) std::random_device::result_type
std::random_device::_M_getval_pretr1() {
  return arc4random();
}
