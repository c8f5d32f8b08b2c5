// SPDX-License-Identifier: MIT
// One execution of the program under test: its threads as fibers, and the places where another one
// may run.
//
// A thread that is about to touch shared memory stops at a scheduling point, says what it is about
// to do, and asks the strategy which thread runs next; if that is itself, it just returns and does
// it. So between two points nothing else runs, and an access with its point is atomic. A thread
// that has to wait for something (a lock, another thread, a signal) is not enabled until another
// thread changes that.
//
// Everything here runs on the fibers, inside calls of hooks. So: no allocation, no function-local
// statics, no thread-locals, no exceptions.
#pragma once

#include <cstddef>
#include <cstdint>

#include "explore/strategy.hpp"
#include "runtime/memory/memory.hpp"
#include "runtime/schedule/event_log.hpp"
#include "runtime/schedule/fiber.hpp"
#include "runtime/schedule/serial_order.hpp"
#include "runtime/schedule/sites.hpp"
#include "runtime/schedule/spins.hpp"
#include "runtime/schedule/thread.hpp"
#include "runtime/schedule/trace.hpp"
#include "runtime/wire/board.hpp"

namespace plumb::runtime {

/// Why an execution ended.
enum class ExecutionEnd : std::uint8_t {
  done,    // every thread ended
  stuck,   // threads wait forever
  pruned,  // by the strategy
  cut,     // max_steps and other limits
  finding,
};

/// What is to be searched, and with what; the same for all executions of a search.
struct SearchContext {
  Options options;
  Board* board = nullptr;
  explore::Strategy* strategy = nullptr;
  Sites sites;
  bool sites_added = false;     // in this execution or before
  std::size_t shown_after = 0;  // races count after so many choices of a replayed schedule
  bool read_thread_id = false;  // an operation read its thread id
  bool unseen = false;          // something that cannot be watched takes part (unseen/unseen.hpp)
  bool (*is_unseen)(const void* pc) = nullptr;  // has the instruction before it no hook?
};

class Execution : public SearchContext {
 public:
  bool running = false;      // false: hooks do what the functions that they stand for do
  std::uint64_t number = 0;  // of this execution: hooks that keep something tell old from new
  std::uint64_t steps = 0;
  std::int64_t now = 0;  // virtual nanoseconds
  Memory memory;
  ThreadTable threads;
  Spins spins;
  EventLog events;
  Tracer trace;
  Finding finding;
  bool raced = false;  // whether that is bad or not

  /// Runs body(argument) as thread 0 until all threads have ended.
  ExecutionEnd run(void* (*body)(void*), void* argument);

  // --- for hooks; all of them on a fiber -------------------------------------------------------

  Thread& self() { return threads.self(); }

  /// Before an access that others may see.
  void point(Access access, const void* pc);
  void point(Access first, Access second, const void* pc);
  /// Before what others may notice though it is no access: an operation cannot have been called
  /// later.
  void takes_effect(const void* pc);
  /// Blocks until a step that has a condition (see ThreadTable::refresh) is taken: now, if `can`.
  /// False: its time ran out instead, which is possible only if is_timed.
  bool block_until(Access access, const void* what, WaitsFor want, bool can, bool is_timed,
                   const void* pc);

  /// What the step turned out to be, where point() could not know.
  void was(Touch touch) {
    if (!step_open_ || lumped_) return;
    step_.accesses[0].touch = touch;
    if (options.compare) [[unlikely]]
      memory.log.was(touch);
  }
  /// For a comparison with other checkers, it only read: the lock was and stays shared.
  void shares() {
    if (options.compare && !lumped_) [[unlikely]]
      memory.log.was(Touch::read);
  }
  /// The step also did this.
  void also(Access access) {
    note_access(access);
    depends_on(access);
  }
  /// The same for what is no memory of the program: the clock.
  void depends_on(Access access);
  /// For comparisons; `is_new`: it was allocated.
  void note_access(Access access, bool is_new = false) {
    if (options.compare) [[unlikely]]
      keep_access(access, is_new);
  }

  void give_way(const void* pc);  // sched_yield and the like
  int choose(int count, int cost);

  /// A new thread, which has run to its first point when this returns. -1: too many.
  /// `group`, if given, is counted down when it ends.
  int make_thread(void* (*function)(void*), void* argument, int* group = nullptr);
  [[noreturn]] void end_thread(void* result);
  bool join(int thread, bool is_timed, const void* pc);  // false: time ran out
  void join_group(const int* group, const void* pc);     // waits until it is 0

  void call(std::uint16_t operation);
  void returned(std::uint64_t value);

  /// Makes it the execution's finding; fail also ends the execution.
  void find(FindingKind kind, const char* text, const void* address, std::uint32_t size,
            const void* pc, const Place* there);
  [[noreturn]] void fail(FindingKind kind, const char* text, const void* address = nullptr,
                         std::uint32_t size = 0, const void* pc = nullptr,
                         const Place* there = nullptr);
  [[noreturn]] void give_up(ExecutionEnd end);
  /// The only thread left spins and nothing changes.
  [[noreturn]] void end_lone_spin();

  Place place(int thread, const void* pc) const;

 private:
  void arrive();   // at the next point: what was done since the last one was a step
  void granted();  // may take its next step
  void count_step();
  void log_call(Thread& thread);
  void add_event(const OperationEvent& event);
  void pass_on(int current);  // asks who runs next, and switches
  std::uint64_t whose_turn() const;
  bool may_just_continue(bool can) const;
  void switch_to(int thread);
  void start(Thread& thread);
  [[noreturn]] void end_idle(Spins::Idle why);
  [[noreturn]] void end_stuck(FindingKind kind, const char* text);
  void keep_access(Access access, bool is_new);
  void reset();
  static void fiber_main();

  Step step_;  // the step that is being taken
  bool step_open_ = false;
  bool lumped_ = false;   // what is done now is not that step's first access
  bool calling_ = false;  // the next point is a call at which switching costs nothing
  SerialOrder serial_;
  ExecutionEnd end_ = ExecutionEnd::done;
  Fiber explorer_;  // the caller of run()
};

// NOLINTNEXTLINE(bugprone-dynamic-static-initializers): it is constant, as constinit says.
extern constinit Execution execution;

inline bool inside() { return execution.running; }

}  // namespace plumb::runtime
