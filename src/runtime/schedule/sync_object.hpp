// SPDX-License-Identifier: MIT
// What locks, conditions, semaphores and their like have in common.
//
// Their state lies in the program's own objects (in glibc's fields, where it fits): what resets the
// program's memory resets them too, static initialisers work, and a lock in freed memory is freed
// memory.
#pragma once

#include "runtime/schedule/accesses.hpp"

namespace plumb::runtime {

/// The first bytes stand for the object where steps are compared.
inline constexpr std::uint32_t kObjectBytes = 4;

inline Access touching(const volatile void* object, Touch touch) {
  return {address_of(object), kObjectBytes, touch};
}

/// An operation on it, which excludes making and destroying it at the same time.
inline void check_object(const void* object, const void* pc) {
  check_memory(object, kObjectBytes, true, pc);
  check_race(object, kObjectBytes, Races::Kind::atomic_write, pc);
}

/// What was before a release is seen after an acquire.
inline void acquire(const void* object) {
  execution.memory.model.acquire(execution.threads.me, object);
}
inline void release(const void* object) {
  execution.memory.model.release(execution.threads.me, object);
}

/// Whether what is there is put back before the next execution. What the system's libraries keep is
/// not.
inline bool is_reset(const void* p) {
  const Execution& e = execution;
  if (Heap::contains(p) || e.memory.snapshot.covers(p)) return true;
  for (int t = 0; t < e.threads.made; ++t) {
    const Fiber& fiber = *e.threads[t].fiber;
    if (static_cast<std::size_t>(static_cast<const std::byte*>(p) - fiber.stack) < kStackBytes)
      return true;
  }
  return false;
}

}  // namespace plumb::runtime
