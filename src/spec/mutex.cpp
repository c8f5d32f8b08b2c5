// SPDX-License-Identifier: MIT
#include "plumb/describe.hpp"
#include "spec/specifications.hpp"

namespace plumb {
namespace {

struct Mutex {
  bool held = false;

  static Mutex from_initial(std::optional<bool> initial) { return {initial.value_or(false)}; }
  auto state() const { return std::tie(held); }

  void lock() {
    if (std::exchange(held, true)) block();
  }
  void unlock() {
    if (!std::exchange(held, false)) block();
  }
  bool try_lock() { return !std::exchange(held, true); }
};

struct Semaphore {
  std::int64_t permits = 1;

  static Semaphore from_initial(std::optional<std::int64_t> initial) {
    if (initial.value_or(1) < 0) throw std::invalid_argument("permits cannot be negative");
    return {initial.value_or(1)};
  }
  auto state() const { return std::tie(permits); }

  bool try_acquire() {
    if (permits == 0) return false;
    --permits;
    return true;
  }
  void acquire() {
    if (!try_acquire()) block();
  }
  void release() { ++permits; }
  std::int64_t available() const { return permits; }
};

}  // namespace

const Specification& mutex_specification() {
  static const auto spec = describe<Mutex>("mutex")
                               .family(Family::mutex)
                               .method("lock", &Mutex::lock)
                               .role(Role::acquires)
                               .alias("acquire")
                               .blocks()
                               .method("unlock", &Mutex::unlock)
                               .role(Role::releases)
                               .alias("release")
                               .blocks()
                               .method("try_lock", &Mutex::try_lock)
                               .role(Role::acquires)
                               .alias("try_acquire")
                               .result("whether it was free")
                               .pure_when(Value::boolean(false));
  return spec;
}

const Specification& semaphore_specification() {
  static const auto spec = describe<Semaphore>("semaphore")
                               .family(Family::semaphore)
                               .method("acquire", &Semaphore::acquire)
                               .role(Role::acquires)
                               .alias("wait", "down", "dec")
                               .blocks()
                               .method("release", &Semaphore::release)
                               .role(Role::releases)
                               .alias("signal", "up", "inc", "post")
                               .method("try_acquire", &Semaphore::try_acquire)
                               .role(Role::acquires)
                               .alias("try_wait")
                               .result("whether there was a permit")
                               .pure_when(Value::boolean(false))
                               .method("available", &Semaphore::available)
                               .role(Role::reads)
                               .alias("permits", "count", "get")
                               .result("the number of permits");
  return spec;
}

}  // namespace plumb
