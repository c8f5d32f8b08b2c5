// SPDX-License-Identifier: MIT
// The threads of an execution, and which of them can run.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/waits_for.hpp"
#include "explore/strategy.hpp"
#include "runtime/schedule/fiber.hpp"
#include "runtime/wire/finding.hpp"

namespace plumb::runtime {

using explore::Access;
using explore::kMaxThreads;
using explore::Step;
using explore::Touch;
using plumb::WaitsFor;

inline std::uint64_t thread_bit(int thread) { return std::uint64_t{1} << thread; }

enum class ThreadState : std::uint8_t { unborn, ready, waiting, ended };

struct Thread {
  Fiber* fiber = nullptr;
  ThreadState state = ThreadState::unborn;
  std::uint8_t number = 0;
  bool timed_out = false;  // its timed wait ran out
  bool starting = false;   // on its way to its first point, while its maker waits
  std::uint8_t maker = 0;
  int* group = nullptr;  // of threads that are joined together: how many of them live
  bool detached = false;
  bool joined = false;
  bool exiting = false;               // unwinds its stack because it called pthread_exit
  WaitsFor want = WaitsFor::nothing;  // of that what it waits for
  const void* waits_for = nullptr;
  const void* pc = nullptr;  // of its next step
  Place stands_at;           // the same with its calls, in a traced execution
  void* (*function)(void*) = nullptr;
  void* argument = nullptr;
  void* result = nullptr;

  /// The operation that it runs.
  bool in_operation = false;
  bool called = false;  // the call is in the history
  std::uint16_t operation = 0;
  std::uint64_t steps = 0;  // that it took so far

  /// Instrumented functions that it is in, outermost first. Deeper ones are counted, not kept.
  static constexpr int kCalls = 512;
  int depth = 0;
  std::array<const void*, kCalls> calls{};
  std::array<std::uint64_t, kCalls + 1> call_hash{};  // of calls[0..depth)

  int kept_calls() const { return depth < kCalls ? depth : kCalls - 1; }

  void reset() {
    state = ThreadState::unborn;
    timed_out = starting = detached = joined = exiting = in_operation = called = false;
    waits_for = nullptr;
    depth = 0;
  }
};

class ThreadTable {
 public:
  std::uint8_t me = 0;  // the one that runs
  int made = 0;         // threads so far
  int live = 0;
  int unjoined = 0;  // ended, but not joined yet: what they did may be part of a race
  std::array<Step, kMaxThreads> next;  // by thread: the step before which it stands
  std::uint64_t ready = 0;             // bits of threads
  std::uint64_t timed = 0;             // bits of threads whose wait may run out

  Thread& operator[](int thread) { return threads_[static_cast<std::size_t>(thread)]; }
  const Thread& operator[](int thread) const { return threads_[static_cast<std::size_t>(thread)]; }
  Thread& self() { return threads_[me]; }
  const Thread& self() const { return threads_[me]; }

  /// Nobody else runs, or ran and may still race.
  bool is_alone() const { return live == 1 && unjoined == 0; }
  std::span<const Step> next_steps() const { return {next.data(), static_cast<std::size_t>(made)}; }

  void set_ready(int thread, bool is_ready) {
    threads_[static_cast<std::size_t>(thread)].state =
        is_ready ? ThreadState::ready : ThreadState::waiting;
    if (is_ready) ready |= thread_bit(thread);
    else ready &= ~thread_bit(thread);
  }
  /// Something about `what` changed: which of the threads that wait for it can run? (Also puts
  /// those back to waiting that no longer can.)
  template <class Can>
  void refresh(const void* what, Can can) {
    for (int t = 0; t < made; ++t) {
      Thread& other = (*this)[t];
      if (other.waits_for != what || t == me || other.state == ThreadState::ended) continue;
      set_ready(t, can(other));
    }
  }
  void reset() {
    for (int t = 0; t < made; ++t) {
      (*this)[t].reset();
      next[static_cast<std::size_t>(t)] = {};
    }
    ready = timed = 0;
    made = live = unjoined = 0;
  }

 private:
  std::array<Thread, kMaxThreads> threads_;
};

}  // namespace plumb::runtime
