// SPDX-License-Identifier: MIT
// Data races by happens-before, as C++ defines it: memory orders count.
//
// Each thread has a vector clock; each atomic location carries the clock of its last release; each
// 8 bytes of plain memory remember their last write and last read by every thread. Two accesses,
// one of them a write and one of them plain, that are not ordered are a race, whatever the schedule
// was. (FastTrack, Flanagan and Freund 2009, without its compression: our executions are short.)
// free() counts as a write.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "explore/strategy.hpp"

namespace plumb::runtime {

struct Clock {
  std::array<std::uint32_t, explore::kMaxThreads> at{};
};

/// The other side of a race.
struct OtherAccess {
  int thread = -1;
  const void* pc = nullptr;
  bool is_write = false;
  bool is_atomic = false;
  bool is_free = false;
};

class Races {
 public:
  bool reserve();  // memory; false where the system refuses
  void reset();

  void thread_made(int maker, int thread);
  void thread_joined(int thread, int by);

  enum class Kind : std::uint8_t { read, write, atomic_read, atomic_write, free };
  /// An access; is it part of races? others() are then the other sides: only the first, unless all
  /// are wanted. If they are, the access is remembered although it races, for races with it.
  bool access(int thread, const void* address, std::size_t size, Kind kind, const void* pc);
  /// Freeing so much that there are more words than cells.
  bool freed(int thread, const void* address, std::size_t size);
  static constexpr std::size_t kManyBytes = std::size_t{1} << 19;
  std::span<const OtherAccess> others() const { return {others_.data(), other_count_}; }
  void want_all(bool all) { all_ = all; }

  void load(int thread, const void* address, std::memory_order order);
  void store(int thread, const void* address, std::memory_order order);
  void update(int thread, const void* address, std::memory_order order);
  void fence(int thread, std::memory_order order);
  /// Locks, conditions, ends of threads: everything before is seen by who acquires later.
  void release(int thread, const void* object) {
    update(thread, object, std::memory_order_release);
  }
  void acquire(int thread, const void* object) { load(thread, object, std::memory_order_acquire); }

  void allocated(const void* address,
                 std::size_t size);  // what was there before is another object's

 private:
  struct Cell {
    std::uint64_t key = 0;  // address / 8, with the execution's number above
    struct Last {
      std::uint32_t time = 0;
      std::uint8_t thread = 0, first = 0, last = 0;  // bytes of the eight, inclusive
      Kind kind = Kind::read;
      const void* pc = nullptr;
    };
    std::uint8_t count = 0;
    std::array<Last, explore::kMaxThreads + 8> lasts;
  };
  struct Location {
    std::uint64_t key = 0;
    Clock clock;
    bool released = false;
  };
  static constexpr std::uint64_t kOldest = std::uint64_t{1}
                                           << 45;  // of numbers of executions in a key
  static constexpr std::size_t kCells = 1 << 16;
  static constexpr std::size_t kLocations = 1 << 14;

  bool before(const Cell::Last& last, int thread) const {
    return last.time <= clocks_[thread].at[last.thread];
  }
  Cell& cell(std::uintptr_t word);
  void add(const Cell::Last& last);
  Location& location(const void* address);
  void join(Clock& into, const Clock& from) const {
    for (int t = 0; t < threads_; ++t) {
      if (from.at[t] > into.at[t]) into.at[t] = from.at[t];
    }
  }

  Cell* cells_ = nullptr;
  Location* locations_ = nullptr;
  std::uint64_t epoch_ = 0;
  int threads_ = 0;
  std::array<Clock, explore::kMaxThreads> clocks_;
  std::array<Clock, explore::kMaxThreads> seen_;      // by relaxed loads, for acquire fences
  std::array<Clock, explore::kMaxThreads> released_;  // at the last release fence
  std::array<OtherAccess, 8> others_{};
  std::size_t other_count_ = 0;
  bool all_ = false;
};

}  // namespace plumb::runtime
