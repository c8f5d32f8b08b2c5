// SPDX-License-Identifier: MIT
// One execution of the program under test: its threads as fibers, and the places where another may
// go on.
//
// A thread that is about to touch shared memory stops at a scheduling point, says what it is about
// to do, and asks the strategy who goes on; if that is itself, it just returns and does it. So
// between two points nothing else runs, and an access with its point is atomic. A thread that has
// to wait for something (a lock, another thread, a signal) is not enabled until somebody changes
// that.
//
// Everything here runs on the fibers, inside calls of hooks. So: no allocation, no function-local
// statics, no thread-locals, no exceptions.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "explore/strategy.hpp"
#include "runtime/memory/access_log.hpp"
#include "runtime/memory/heap.hpp"
#include "runtime/memory/pages.hpp"
#include "runtime/memory/race.hpp"
#include "runtime/memory/snapshot.hpp"
#include "runtime/schedule/fiber.hpp"

namespace plumb::runtime {

using explore::Access;
using explore::kMaxThreads;
using explore::Step;
using explore::Touch;

enum class PlainPoints : std::uint8_t { none, some, all };

struct Options {
  PlainPoints plain =
      PlainPoints::some;  // scheduling points at plain accesses; some: at those of `sites`
  Reuse reuse = Reuse::never;
  bool races = true;           // look for data races
  bool memory = true;          // look for accesses to memory that is not allocated
  bool race_is_bad = true;     // else a race only makes scheduling points of its two accesses
  bool stuck_is_bad = true;    // threads that wait for ever are a finding, not an outcome;
  bool judges_stuck = false;   // unless they do so in an operation
  bool spurious = false;       // weak compare-and-swaps and waits may fail for no reason
  bool start_points = false;   // a thread's beginning is a step of its own
  bool serial = false;         // one operation after the other
  bool specifies = false;      // ... and what comes of it is right, by definition
  bool record = true;          // keep the history
  bool every_history = false;  // tell it though it was seen before
  bool leaks = false;          // blocks that are never freed are a finding
  int random_values = 2;       // of how many values a random number is; they are explored
  bool tracing = false;        // keep what every step did (board.hpp)
  bool compare = false;        // what would other checkers say of it? (board.hpp)
  std::uint64_t max_steps = 100'000;  // of an execution
};

// Why an execution ended.
enum class Outcome : std::uint8_t {
  done,    // every thread ended
  stuck,   // threads wait for ever
  pruned,  // by the strategy
  cut,     // max_steps
  finding,
};

enum class FindingKind : std::uint8_t {
  none,
  assertion,
  exception,
  crash,
  race,
  use_after_free,
  double_free,
  bad_free,
  out_of_bounds,
  deadlock,
  livelock,
  leak,
  misuse,  // of a lock or a thread: undefined behaviour that we see
  divergence,
};

// Where a thread was: the instruction, and the calls that led there, innermost first.
struct Place {
  static constexpr int kMost = 24;
  int thread = -1;
  int depth = 0;
  std::array<const void*, kMost> pc{};
};

struct Finding {
  FindingKind kind = FindingKind::none;
  char text[256] = {};
  const void* address = nullptr;
  std::uint32_t size = 0;
  Place here, there;  // `there`: the other access of a race, the free before a use; thread -1 if
                      // there is none
};

// An event of a history.
struct Event {
  bool is_call;
  std::uint8_t thread;
  std::uint16_t operation;  // a number that the harness gave
  std::uint64_t value;      // of a return: what the harness says stands for the result
};

enum class State : std::uint8_t { unborn, ready, waiting, ended };

struct Board;  // board.hpp

struct Thread {
  Fiber* fiber = nullptr;
  State state = State::unborn;
  std::uint8_t number = 0;
  bool timed = false;      // its wait may run out
  bool timed_out = false;  // and did
  bool starting = false;   // on its way to its first point, while its maker waits
  std::uint8_t maker = 0;
  int* group = nullptr;  // of threads that are waited for together: how many of them live
  bool detached = false;
  bool joined = false;
  bool exiting = false;   // unwinds its stack because it called pthread_exit
  std::uint8_t want = 0;  // how it wants what it waits for (read or write a lock ...)
  const void* waits_for = nullptr;
  const void* pc = nullptr;  // of its next step
  Place stands_at;           // the same with its calls, in an execution that is shown
  void* (*function)(void*) = nullptr;
  void* argument = nullptr;
  void* result = nullptr;

  // The operation that it is in.
  bool in_operation = false;
  bool called = false;  // the call is in the history
  std::uint16_t operation = 0;

  // Functions that are instrumented, outermost first.
  static constexpr int kCalls = 512;
  int depth = 0;
  std::array<const void*, kCalls> calls{};
  std::array<std::uint64_t, kCalls + 1> call_hash{};  // of calls[0..depth)

  // What it last looked at, for loops that only look.
  static constexpr int kLooks = 8;
  struct Look {
    std::uint64_t key = 0;      // where, what and which value
    std::uint64_t version = 0;  // of shared memory
    std::uint64_t stack = 0;    // of the thread's own state
    std::uint32_t times = 0;
  };
  std::array<Look, kLooks> looks;
  int next_look = 0;

  std::uint32_t yields = 0;         // in vain, one after the other
  std::uint64_t yield_version = 0;  // of shared memory, at the last of them
};

// Instructions at which plain accesses are scheduling points, because they were seen to race.
class Sites {
 public:
  bool contains(const void* pc) const {
    for (std::size_t i = place(pc);; ++i) {
      const void* const there = sites_[i % kMost];
      if (there == pc) return true;
      if (there == nullptr) return false;
    }
  }
  // Whether it is new.
  bool add(const void* pc) {
    if (pc == nullptr || contains(pc) || count_ == kMost / 2) return false;
    std::size_t i = place(pc);
    while (sites_[i % kMost] != nullptr) ++i;
    sites_[i % kMost] = pc;
    ++count_;
    return true;
  }
  template <class F>
  void for_each(F f) const {
    for (const void* pc : sites_) {
      if (pc != nullptr) f(pc);
    }
  }

 private:
  static constexpr std::size_t kMost = 4096;
  static std::size_t place(const void* pc) {
    return (reinterpret_cast<std::uintptr_t>(pc) * 0x9e3779b97f4a7c15) >> 52;
  }
  std::array<const void*, kMost> sites_{};
  std::size_t count_ = 0;
};

class Execution {
 public:
  bool running = false;  // false: hooks do what the functions that they stand for do
  std::uint8_t me = 0;
  Options options;
  Board* board = nullptr;
  Heap heap;
  Races races;
  bool raced = false;  // this execution, whether that is bad or not
  AccessLog accessed;
  Sites sites;
  bool sites_added = false;  // in this execution or before
  explore::Strategy* strategy = nullptr;
  std::array<Thread, kMaxThreads> threads;
  std::array<Step, kMaxThreads> next;  // by thread: the step before which it stands
  Step step;                           // the step that is being taken
  bool step_open = false;
  bool lumped = false;         // what is done now is not that step's first access
  std::uint64_t ready = 0;     // bits of threads
  std::uint64_t timed = 0;     // bits of threads whose wait may run out
  std::uint64_t yielded = 0;   // bits of threads that gave way
  std::uint64_t spinning = 0;  // bits of threads whose loop changed nothing: until somebody writes
  std::uint64_t between = 0;   // serially: bits of threads that wait for their turn to call
  std::array<std::uint64_t, 16> over{};  // ... and of operations that others wait for (board.hpp)
  // The system's heap when the search began: what the program allocated before it. It is not put
  // back between executions, so that writing there is worth a remark.
  std::uintptr_t older_begin = 0, older_end = 0;
  bool wrote_older = false;
  bool asked_who = false;  // somebody asked which thread it is
  bool guessed =
      false;  // a loop was taken for one that waits because it looked, or gave way, so often
  std::uint64_t repeating = 0;  // bits of threads that are in a state in which they were before
  int made = 0;                 // threads so far
  int live = 0;
  int unjoined =
      0;  // threads that ended, and nobody has waited for: what they did may be in a race
  std::uint64_t version = 0;  // of shared memory: counts what might have changed it
  std::uint64_t number = 0;   // of this execution: hooks that keep something tell old from new
  std::uint64_t steps = 0;
  std::uint64_t accesses = 0;  // of the program that hooks have seen, over all executions
  std::uint64_t idle_rounds = 0;
  std::uint64_t lone_looks = 0;  // of a thread that is alone, at what it has seen before
  std::uint32_t lone_repeats = 0;
  std::size_t shown_after = 0;  // so many choices of a schedule that is replayed races count
  std::int64_t now = 0;         // virtual nanoseconds
  Outcome outcome = Outcome::done;
  Finding finding;

  static constexpr int kEvents = 4096;
  int event_count = 0;
  std::array<Event, kEvents> events{};

  // Runs body(argument) as thread 0 to the end of all threads.
  Outcome run(void* (*body)(void*), void* argument);

  // --- for hooks; all of them on a fiber -------------------------------------------------------

  Thread& self() { return threads[me]; }

  // Before an access that others may see.
  void point(Access access, const void* pc);
  void point(Access first, Access second, const void* pc);
  // Before what others may notice though it is no access: an operation can not have been called
  // later.
  void takes_effect(const void* pc);
  // What it turned out to be, where point() could not know.
  void was(Touch touch) {
    if (!step_open || lumped) return;
    step.accesses[0].touch = touch;
    if (options.compare) [[unlikely]]
      accessed.was(touch);
  }
  // For a comparison with other checkers, it only read: the lock was and stays shared.
  void shares() {
    if (options.compare && !lumped) [[unlikely]]
      accessed.was(Touch::read);
  }
  // The step also did this.
  void also(Access access) {
    note_access(access);
    depends_on(access);
  }
  // The same of what is no memory of the program: the clock.
  void depends_on(Access access);
  void changed() {
    ++version;
    spinning = repeating = 0;
  }

  // Stands before a step that can be taken only while something is so (see refresh): now, if `can`.
  // Returns when it is taken; false: its time ran out instead, which can be only if is_timed.
  bool stand(Access access, const void* what, std::uint8_t want, bool can, bool is_timed,
             const void* pc);

  // Something about `what` changed: who of those that stand before it can go on? (Also puts
  // those back to waiting who no longer can.)
  template <class Can>
  void refresh(const void* what, Can can) {
    for (int t = 0; t < made; ++t) {
      Thread& other = threads[t];
      if (other.waits_for != what || t == me || other.state == State::ended) continue;
      set_ready(t, can(other));
    }
  }
  void set_ready(int thread, bool is_ready) {
    threads[thread].state = is_ready ? State::ready : State::waiting;
    if (is_ready) ready |= std::uint64_t{1} << thread;
    else ready &= ~(std::uint64_t{1} << thread);
  }

  // For executions that are shown: what the step that was just granted does. A plain access that is
  // no point is noted as well. `what` is a literal.
  void note(const char* what, const void* address, std::uint32_t size, int order,
            std::uint64_t before, std::uint64_t after, bool failed) {
    if (options.tracing) [[unlikely]]
      trace_values(what, address, size, order, before, after, failed);
  }
  void note(const char* what) {
    if (options.tracing) [[unlikely]]
      trace_what(what);
  }
  void note_plain(const void* address, std::size_t size, bool write) {
    if (options.tracing) [[unlikely]]
      trace_plain(address, size, write);
  }

  // Also for comparisons; `is_new`: it was allocated.
  void note_access(Access access, bool is_new = false) {
    if (options.compare) [[unlikely]]
      keep_access(access, is_new);
  }

  void note_free(const void* block, std::size_t size) {
    if (options.tracing) [[unlikely]]
      trace_free(block, size);
  }

  void give_way(const void* pc);  // sched_yield and the like
  // After a read-like access that may be one of a loop that waits: stops the thread if it saw this
  // before and nothing changed since.
  void looked(const void* address, std::uint64_t value, const void* pc);

  int choose(int count, int cost);

  // A new thread, which has run to its first point when this returns. -1: too many.
  // `group`, if given, counts it down when it ends.
  int make_thread(void* (*function)(void*), void* argument, int* group = nullptr);
  [[noreturn]] void end_thread(void* result);
  bool join(int thread, bool is_timed, const void* pc);  // false: time ran out
  void join_group(const int* group, const void* pc);     // waits until it is 0

  void call(std::uint16_t operation);
  void returned(std::uint64_t value);

  // Makes it the execution's finding; fail also ends the execution.
  void find(FindingKind kind, const char* text, const void* address, std::uint32_t size,
            const void* pc, const Place* there);
  [[noreturn]] void fail(FindingKind kind, const char* text, const void* address = nullptr,
                         std::uint32_t size = 0, const void* pc = nullptr,
                         const Place* there = nullptr);
  [[noreturn]] void give_up(Outcome outcome);

  Place place(int thread, const void* pc) const;
  Place unwound();  // of the thread that runs

  Snapshot snapshot;
  Pages pages;

 private:
  void arrive();   // at the next point: what was done since the last one was a step
  void granted();  // may take the step next[me]
  void count_step();
  void pass_on(int current);  // asks who goes on, and goes there
  std::uint64_t whose_turn() const;
  bool may_call(std::uint16_t operation) const;
  bool may_just_go_on(bool can) const;
  void go_to(int thread);
  [[noreturn]] void end_stuck(FindingKind kind, const char* text);
  void log(Event event);
  void keep_access(Access access, bool is_new);
  void trace_point();
  void trace_waiting(std::uint32_t waiting);
  void trace_what(const char* what);
  void trace_values(const char* what, const void* address, std::uint32_t size, int order,
                    std::uint64_t before, std::uint64_t after, bool failed);
  void trace_plain(const void* address, std::size_t size, bool write);
  void trace_free(const void* block, std::size_t size);
  void looked_alone(bool same);
  void reset();
  static void fiber_main();

  Fiber explorer_;  // who called run()
};

// NOLINTNEXTLINE(bugprone-dynamic-static-initializers): it is constant, as constinit says.
extern constinit Execution execution;

inline bool inside() { return execution.running; }

}  // namespace plumb::runtime
