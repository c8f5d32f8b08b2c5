// SPDX-License-Identifier: MIT
// What the explorer and a strategy say to each other.
//
// An execution is a sequence of steps. A step is one access to shared memory, or one operation on a
// lock, with everything that its thread does until it stands before the next one; the call of an
// operation goes with its first access and the return with its last (algorithm "gluing": a step is
// [call+] access [+return]), so calls and returns need no steps of their own. Wherever more than
// one thing can come next, the strategy chooses; the choices of an execution are its schedule, and
// the same schedule gives the same execution.
//
// Nothing here knows of hooks, fibers or processes: a strategy can be tested on a program that is a
// table.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace plumb::explore {

inline constexpr int kMaxThreads = 32;

/// What a step does to a piece of shared memory. A compare-and-swap that fails only reads.
/// `acquire` is taking a lock (enabled only while it is free), `release` giving it back: two steps
/// that take the same lock depend on each other; giving it back and taking it are ordered, but
/// cannot be exchanged.
enum class Touch : std::uint8_t { read, write, acquire, release };

struct Access {
  std::uint64_t address = 0;
  std::uint32_t size = 0;  // in bytes; ranges conflict if they overlap
  Touch touch = Touch::read;
  friend bool operator==(const Access&, const Access&) = default;
};

struct Step {
  std::uint8_t thread = 0;
  bool calls = false;       // an operation's call comes with it
  bool returns = false;     // an operation's return comes with it
  bool everything = false;  // it touched more than fits below: depends on every step
  bool blocks = false;      // it can be taken only while a condition holds that others change, and
                            // that is not a lock; or it waits for a lock, and may run out of time
  std::uint8_t count = 0;
  std::array<Access, 2> accesses{};
};

/// Of different threads; is their order visible? (Conflicting accesses, or one carries a
/// call and the other a return, so that their order decides what happens before what.)
bool dependent(const Step& a, const Step& b);

/// An action: thread t takes its next step (t), or its timed wait runs out (kTimeout + t).
inline constexpr int kTimeout = kMaxThreads;

/// Where something must be chosen.
struct Point {
  int current =
      -1;  // the thread that has just run and can continue; -1: it ended, waits or yielded
  std::uint64_t enabled = 0;   // a bit an action; never 0
  std::span<const Step> next;  // by thread: what is known of the next step (its first access; a
                               // compare-and-swap counts as a write until it was tried)
};

/// Answers of choose() besides an action.
inline constexpr int kPrune = -1;  // nothing new from here: give this execution up

class Strategy {
 public:
  virtual ~Strategy() = default;

  /// An action out of point.enabled, or kPrune. A timeout, and an action of another thread than
  /// `current` if that is enabled, cost a preemption (a timeout costs none where nothing else is
  /// enabled).
  virtual int choose(const Point& point) = 0;

  /// A value out of 0..count-1, for code that asks for one (random numbers, who is woken, spurious
  /// failures). Anything but 0 costs `cost` preemptions; a strategy with a bound may have to answer
  /// 0.
  virtual int choose_value(int count, int cost) = 0;

  /// What the step that was chosen last turned out to be: its thread has arrived at its next one,
  /// ended, or waits. Comes after every choose() that answered an action, before the next one.
  virtual void taken(const Step& step) = 0;

  /// No thread can run: they ended, or those of `waiting` (bits of threads) wait forever before
  /// next[t]. Not called after kPrune, nor after an execution that was given up from outside.
  virtual void ended(std::uint32_t waiting, std::span<const Step> next) = 0;

  /// Prepares the next execution; false if there is none. Also after a crash: it then counts as
  /// ended.
  virtual bool advance() = 0;

  /// The choices of this execution so far, actions and values, in order.
  virtual std::span<const std::uint8_t> schedule() const = 0;
};

}  // namespace plumb::explore
