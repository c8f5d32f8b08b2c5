// SPDX-License-Identifier: MIT
// A pthread mutex inside an execution, stored in glibc's own fields.
#pragma once

#include <pthread.h>

#include "runtime/schedule/sync_object.hpp"
#include "runtime/schedule/virtual_time.hpp"

namespace plumb::runtime {

class Mutex {
 public:
  explicit Mutex(pthread_mutex_t* mutex) : object_(mutex), data_(mutex->__data) {}

  /// A mutex of a system library that was held when an earlier execution was given up is free:
  /// nobody put it back, but it carries that execution's number.
  bool is_free() const { return data_.__lock == 0 || data_.__nusers != stamp(); }
  int owner() const { return is_free() ? -1 : data_.__owner - 1; }
  bool is_mine() const { return owner() == execution.threads.me; }
  bool is_free_for(int thread) const { return is_free() || owner() == thread; }
  bool is_destroyed() const { return data_.__kind == kDestroyed; }
  int type() const { return data_.__kind & 3; }

  /// Now mine, once more. Requires: is_free_for(me).
  void take();
  /// Once less. Requires: is_mine().
  void give();
  void destroy() { data_.__kind = kDestroyed; }

  /// Has the thread that holds it changed anything since it took it?
  bool changed_something() const {
    return version() != static_cast<std::uint32_t>(execution.spins.version);
  }

 private:
  static constexpr int kDestroyed = -1;  // as in glibc

  static std::uint32_t stamp() {
    return static_cast<std::uint32_t>(execution.number) | 0x80000000U;
  }
  std::uint32_t version() const {
    return static_cast<std::uint16_t>(data_.__spins) |
           std::uint32_t{static_cast<std::uint16_t>(data_.__elision)} << 16;
  }

  pthread_mutex_t* object_;
  __pthread_mutex_s& data_;
};

/// One that is held in this execution and lies there; null: there is none.
const void* held_mutex_in(const void* begin, std::size_t bytes);

/// Where the function of a thread has ended: nothing that it holds may lie in the frames below.
void refuse_held_in_frames_below(const void* frame);

/// Waits for it and takes it. Returns what pthread_mutex_clocklock does.
int lock(pthread_mutex_t* mutex, const Deadline& deadline, const void* pc);

}  // namespace plumb::runtime
