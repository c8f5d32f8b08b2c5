// SPDX-License-Identifier: MIT
#include "plumb/describe.hpp"
#include "spec/specifications.hpp"

namespace plumb {
namespace {

struct RwLock {
  bool held = false;         // by a writer
  std::int64_t readers = 0;  // that hold it

  static RwLock from_initial(std::optional<bool> initial) { return {initial.value_or(false), 0}; }
  auto state() const { return std::tie(held, readers); }

  bool try_lock() {
    if (held || readers > 0) return false;
    return held = true;
  }
  void lock() {
    if (!try_lock()) block();
  }
  void unlock() {
    if (!std::exchange(held, false)) block();
  }
  bool try_lock_shared() {
    if (held) return false;
    ++readers;
    return true;
  }
  void lock_shared() {
    if (!try_lock_shared()) block();
  }
  void unlock_shared() {
    if (readers == 0) block();
    --readers;
  }
};

}  // namespace

const Specification& rwlock_specification() {
  static const auto spec = describe<RwLock>("rwlock")
                               .method("lock", &RwLock::lock)
                               .alias("write_lock", "lock_write", "acquire_write", "wrlock")
                               .blocks()
                               .method("unlock", &RwLock::unlock)
                               .alias("write_unlock", "unlock_write", "release_write")
                               .blocks()
                               .method("lock_shared", &RwLock::lock_shared)
                               .alias("read_lock", "lock_read", "acquire_read", "rdlock")
                               .blocks()
                               .method("unlock_shared", &RwLock::unlock_shared)
                               .alias("read_unlock", "unlock_read", "release_read")
                               .blocks()
                               .method("try_lock", &RwLock::try_lock)
                               .alias("try_write_lock", "try_lock_write")
                               .result("whether nobody held it")
                               .pure_when(Value::boolean(false))
                               .method("try_lock_shared", &RwLock::try_lock_shared)
                               .alias("try_read_lock", "try_lock_read")
                               .result("whether no writer held it")
                               .pure_when(Value::boolean(false));
  return spec;
}

}  // namespace plumb
