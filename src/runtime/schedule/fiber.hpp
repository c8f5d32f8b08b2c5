// SPDX-License-Identifier: MIT
// Threads of the program under test as fibers: one OS thread runs them all, so that nothing happens
// between two scheduling points that we did not choose.
//
// A fiber has a stack of its own, at an address that is the same in every execution, and
// thread-local storage of its own: that of a real thread which we made for the purpose and which
// sleeps forever. On x86-64 with glibc the value of pthread_t is the address that the FS register
// holds in that thread; with FS set to it, thread_local variables, errno, the exceptions in flight
// and what std::call_once keeps are the fiber's, with no further work.
#pragma once

#include <cstddef>
#include <cstdint>

namespace plumb::runtime {

struct Fiber {
  void* sp = nullptr;
  std::uint64_t fs = 0;
  std::byte* stack = nullptr;  // its lowest address; kStackBytes long
};

inline constexpr std::size_t kStackBytes = std::size_t{8} << 20;
inline constexpr std::size_t kStackPlace = std::size_t{1} << 30;
inline constexpr std::size_t kBelowStack = kStackPlace - kStackBytes;  // not mapped

/// A fiber of the pool, by number; made on first use, and kept. Returns null where the system
/// refuses.
Fiber* pooled_fiber(int number);

/// Whether that was because there may be no more threads.
bool thread_was_refused();
inline constexpr const char* kNoMoreThreads =
    "the system refuses another thread (ulimit -u, or the limit of the container)";

/// It will run entry(), which must not return, when it is switched to.
void prepare(Fiber& fiber, void (*entry)());

/// Leaves `from`, which keeps its place, and continues in `to`.
void switch_fiber(Fiber& from, const Fiber& to);

/// The fiber that is the OS thread itself; to be called on it.
Fiber this_thread_as_fiber();

}  // namespace plumb::runtime
