// SPDX-License-Identifier: MIT
// What a thread can wait for. A header of its own, without code: the runtime, whose names end up in
// the program under test, uses it as well.
#pragma once

#include <cstdint>

namespace plumb {

enum class WaitsFor : std::uint8_t {
  nothing,
  lock,            // to hold it alone
  shared_lock,     // to hold it with others
  initialisation,  // by the thread that has begun it
  notification,    // of a condition
  waking,          // of a futex
  post,            // of a semaphore
  arrival,         // of other threads at a barrier
  end_of_thread,
  end_of_threads,  // of all that run side by side
  turn,            // of an operation, in a serial run
  nothing_ever,    // plumb::block()
};

}  // namespace plumb
