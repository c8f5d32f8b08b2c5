// SPDX-License-Identifier: MIT
// What an object does serially: the results of sequences of calls, as a tree. All short sequences,
// by one thread and by two that take turns, and some long ones: the same call many times, and
// random calls.
#pragma once

#include <array>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lineup/check.hpp"

namespace plumb::lineup {

class Behaviour {
 public:
  /// A call after others. Its number is that of the sequence which ends with it.
  struct Call {
    int before;      // the call before it; of the first one, kStart
    int invocation;  // of the object
    int thread;      // as of a Cell
    int length;      // of the sequence
    bool waits;      // it never returns
    std::string result;
  };
  static constexpr int kStart = 0;  // no call, but what all sequences begin with

  /// What an observed sequence did: calls in their order, without `before` and `length`.
  /// False: it contradicts another sequence with the same calls of the same threads.
  bool add(const std::vector<Call>& sequence);

  const std::vector<Call>& calls() const { return calls_; }
  const Call& call(int number) const { return calls_[static_cast<std::size_t>(number)]; }
  /// The same calls, then this one, of any thread; nothing: it was not tried.
  std::optional<int> next(int call, int invocation) const;
  /// Of the calls that lead to it, and itself.
  std::vector<int> path(int call) const;

 private:
  std::vector<Call> calls_ = {Call{kStart, -1, 0, 0, false, {}}};
  std::map<std::array<int, 3>, int> next_;  // after a call: by invocation and thread
};

/// How much is tried: counted and not timed, so that it is the same in every run.
struct BehaviourLimits {
  std::size_t short_runs = 400;  // sequences of few calls, shortest first,
  int short_length = 12;         // up to so many calls
  int random_runs = 240;         // and others,
  int longest_random = 60;
  int repetitions = 24;    // and one call so many times
  int most_repeated = 12;  // of so many calls
  int most_failures = 8;   // sequences that end in a crash, say: then nothing is known
  std::function<bool()> may_continue = [] { return true; };
};

/// Runs sequences of calls of an object, each after the calls of `initial`.
class BehaviourSearch {
 public:
  BehaviourSearch(Runner& runner, const Object& object, Column initial,
                  BehaviourLimits limits = {});

  /// Sequences of these. Returns: all sequences of up to so many were tried; 0: that is not known.
  int explore(const std::vector<Column>& units);
  /// Sequences that are parts of this one, and the same by one thread.
  void explore_parts(int call);

  const Behaviour& behaviour() const { return behaviour_; }
  /// False: it is not deterministic, a limit was reached, or too many sequences cannot be run.
  bool is_good() const {
    return !failed_ && failures_ < limits_.most_failures && limits_.may_continue();
  }

 private:
  struct Planned {  // a call of a sequence, and who makes it
    int invocation;
    int column;
  };
  using Sequence = std::vector<Planned>;

  int column_of(int invocation, int wish) const;
  void append(Sequence& to, const Column& unit, int wish) const;
  int run_short(const std::vector<Column>& units);
  void run_by_turns(const std::vector<Sequence>& all);
  void run_repeated(const std::vector<Column>& units);
  void run_random(const std::vector<Column>& units);
  Matrix matrix_of(const Sequence& sequence) const;
  bool observe(const Sequence& sequence);

  Runner& runner_;
  const Object& object_;
  Column initial_;
  BehaviourLimits limits_;
  Behaviour behaviour_;
  bool failed_ = false;
  int failures_ = 0;
};

}  // namespace plumb::lineup
