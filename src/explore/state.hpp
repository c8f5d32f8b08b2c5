// SPDX-License-Identifier: MIT
// Where a strategy lives: flat memory that is given to it, without pointers.
//
// The memory is usually a mapping that a watching process shares. So the watcher sees how far the
// search is (peek), the search survives a crash of the process that ran the code (another one
// attaches to the same memory and calls advance(), which gives up the execution that crashed), and
// a copy of used() that was taken between two executions is a checkpoint.
//
// Each strategy has a head that extends StateHead, then one byte a choice (the schedule), then
// whatever it needs for each choice. What does not fit any more is not explored, and `overflows`
// says so.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "explore/strategy.hpp"

namespace plumb::explore {

enum class Kind : std::uint32_t { dfs = 1, replay, random, pct, pos, dpor };

/// A byte of a schedule: an action (less than kValue), or kValue + a value. More values than
/// kMaxValues are cut off, and that counts as an overflow: ask for several smaller ones instead.
inline constexpr int kValue = 2 * kMaxThreads;
inline constexpr int kMaxValues = 256 - kValue;

/// The code under test did not do again what it had done under the same choices.
struct Divergence {
  enum What : std::uint32_t {
    nothing,
    enabled,   // other actions are enabled: masks
    current,   // another thread has just run, or gave way: threads
    question,  // a value is asked for instead of an action, or the other way round
    count,     // another number of values
    step,      // the step turned out to be another one (see the step itself)
    early,     // it ended before the choices did: numbers of choices
    choice,    // the given schedule asks for what is impossible here: the choice, and what is
               // enabled
  };
  What what = nothing;
  std::uint32_t position = 0;  // of the choice where it was noticed
  std::uint64_t recorded = 0;
  std::uint64_t seen = 0;
};

enum class Phase : std::uint32_t { open, ended, pruned, overflow, diverged, exhausted };

struct StateHead {
  std::uint64_t magic = 0;
  std::uint32_t version = 0;
  Kind kind{};

  /// Executions that came to their end, each new one once; those that the strategy pruned; those
  /// that were given up from outside, crashes among them; those that did not fit into the memory;
  /// those that diverged.
  std::uint64_t executions = 0;
  std::uint64_t pruned = 0;
  std::uint64_t given_up = 0;
  std::uint64_t overflows = 0;
  std::uint64_t divergences = 0;

  /// The execution that runs, or is about to.
  Phase phase = Phase::open;
  std::uint32_t position = 0;  // choices made so far
  std::uint32_t capacity = 0;  // of choices
  Divergence divergence;
};

class FlatStrategy : public Strategy {
 public:
  /// Of the memory; it changes while an execution runs.
  const StateHead& head() const { return *state_; }
  const Divergence& divergence() const { return state_->divergence; }
  bool diverged() const { return state_->divergence.what != Divergence::nothing; }
  bool overflow() const { return state_->overflows != 0; }

  /// An execution is prepared and has not begun: after make(), after advance(), and after attach()
  /// to a checkpoint. Otherwise call advance() first. (A crash before the first choice looks ready
  /// too: who knows of a crash calls advance().)
  bool ready() const { return state_->phase == Phase::open && state_->position == 0; }

  /// The execution that was under way when its process was ended from outside, or had just ended,
  /// shall be run again; it counts once. False: the search is exhausted.
  virtual bool rewind() = 0;

  /// Gives away a part of what is left, as a search in other memory (aligned to 8 bytes): all of it
  /// comes after what is kept, in the order in which the search would run it, and nothing is in
  /// both. False: there is nothing to give now. To be called between executions, when ready(). What
  /// is counted stays here.
  virtual bool split(std::span<std::byte> /*other*/) { return false; }
  /// Whether what comes after a part that was given away depends on it. Then both this search and
  /// the part stop where that begins, and this one continues by join(), with what was used() by the
  /// part, when both are exhausted. Its memory must have room for both; the next time that it
  /// runs, it is in memory that was filled by load() (make.hpp). False: nothing is left.
  virtual bool joins() const { return false; }
  virtual bool join(std::span<const std::byte> /*part*/) { return false; }
  /// Of a search that was divided: what all of it counted.
  void set_counts(const StateHead& of_all);

  /// The bytes that matter, from the beginning of the memory.
  virtual std::span<const std::byte> used() const = 0;

  std::span<const std::uint8_t> schedule() const final { return {choices_, state_->position}; }

 protected:
  FlatStrategy(StateHead* state, std::uint8_t* choices) : state_(state), choices_(choices) {}

  /// Ends the execution from inside. Later questions are answered without looking.
  int stop(Phase phase);
  int diverge(Divergence::What what, std::uint64_t recorded, std::uint64_t seen);
  bool stopped() const { return state_->phase != Phase::open; }
  /// Counts the execution that is over, and makes ready for the next one.
  void account();
  /// Makes ready for the same one again.
  bool reopen();

  StateHead* state_;
  std::uint8_t* choices_;
};

inline constexpr std::uint64_t kStateMagic = 0x65726f6c70786550ull;
inline constexpr std::uint32_t kStateVersion = 3;

/// Without a choice of its own, an execution continues without preemptions: with the current
/// thread, else with the first one that can, and a wait times out only if nothing else can happen.
inline int undisturbed(const Point& point) {
  if (point.current >= 0 && point.enabled >> point.current & 1) return point.current;
  return __builtin_ctzll(point.enabled);
}

/// The actions that cost no preemption.
inline std::uint64_t free_actions(const Point& point) {
  const std::uint64_t threads = point.enabled & 0xffffffffu;
  if (threads == 0) return point.enabled;
  if (point.current >= 0) return point.enabled & std::uint64_t{1} << point.current;
  return threads;
}

}  // namespace plumb::explore
