// SPDX-License-Identifier: MIT
// Loops that wait by reading again and again: a thread in one is not run until another thread
// writes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "explore/strategy.hpp"

namespace plumb::runtime {

class Spins {
 public:
  std::uint64_t spinning = 0;  // bits of threads whose loop changed nothing: until a write
  std::uint64_t yielded = 0;   // bits of threads that yielded
  std::uint64_t version = 0;   // of shared memory: counts what might have changed it
  bool guessed = false;  // a read-only loop was assumed to be a spin-wait, because it read, or
                         // yielded, so often

 private:
  bool is_storing_ = false;     // stored_ is to be compared
  std::uint64_t suspects_ = 0;  // bits of threads that read the same again and again, though
                                // something was stored in between: their stores are looked at

 public:
  void reset(int threads);
  /// Shared memory may have changed.
  void changed() {
    ++version;
    spinning = repeating_ = 0;
  }
  /// A store of this thread, by an atomic: it left the value as it was, or did not.
  void note_store(bool changes, std::uint8_t thread);
  /// A store that is about to happen: the hook comes before it. Whether it changes anything is seen
  /// when the thread is at its next hook (settle).
  void before_store(const void* address, std::size_t size, std::uint8_t thread) {
    if (suspects_ == 0) [[likely]]
      changed();
    else before_store_of_suspect(address, size, thread);
  }
  /// To be called before another thread runs, and before `version` is read.
  void settle() {
    if (is_storing_) [[unlikely]]
      compare_with_old_value();
  }
  /// A loop that depends on more than what it read is not one that waits for others only.
  void forget(int thread) { reads_[static_cast<std::size_t>(thread)].reads = {}; }
  void forget_lone_reads() { lone_reads_ = 0; }

  /// After a read-like access that may be one of a loop that waits: the thread spins if it saw this
  /// before and nothing changed since.
  void note_spin_read(const void* address, std::uint64_t value, const void* pc);
  /// Threads whose loop would see another value now spin no longer.
  void look_again();
  /// The thread called sched_yield and the like. Whether another one shall run first.
  bool note_yield(int thread);

  /// All threads of `able` spin. Let them run for a while: a loop may give up by itself.
  enum class Idle : std::uint8_t {
    again,
    forever,  // they repeat states in which they were before
    unknown,  // too long; but a loop that counts may end some day
  };
  Idle note_idle_round(std::uint64_t able);

 private:
  void note_lone_repeat(bool same);
  [[gnu::cold]] void before_store_of_suspect(const void* address, std::size_t size,
                                             std::uint8_t thread);
  bool keep_old_value(const void* address, std::size_t size);
  [[gnu::cold]] void compare_with_old_value();

  struct Read {
    std::uint64_t key = 0;      // where, what and which value
    std::uint64_t version = 0;  // of shared memory
    std::uint64_t stack = 0;    // of the thread's own state
    std::uint16_t times = 0;
    std::uint16_t stale = 0;        // how often it was seen again after something had been stored
    std::uint32_t idle_stores = 0;  // of the thread, up to the last time
  };
  struct ThreadReads {
    std::array<Read, 8> reads;
    int next = 0;
    std::uint32_t idle_stores = 0;                     // that may have left the value as it was
    const volatile std::uint64_t* waits_at = nullptr;  // of a thread that spins: the word that it
    std::uint64_t word = 0;                            // reads, and what is there
    std::uint32_t yields = 0;                          // in vain, one after the other
    std::uint64_t yield_version = 0;                   // of shared memory, at the last of them
  };
  std::array<ThreadReads, explore::kMaxThreads> reads_;
  struct Stored {
    const void* address = nullptr;
    std::size_t size = 0;
    std::uint8_t thread = 0;
    std::array<std::byte, 16> before{};
  };
  Stored stored_;                // what the thread at work is about to store
  std::uint64_t repeating_ = 0;  // bits of threads that are in a state in which they were before
  std::uint64_t idle_rounds_ = 0;
  std::uint64_t lone_reads_ = 0;  // of a thread that is alone, of what it has seen before
  std::uint32_t lone_repeats_ = 0;
};

}  // namespace plumb::runtime
