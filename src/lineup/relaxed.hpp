// SPDX-License-Identifier: MIT
// Operations of which less is asked than that they are deterministic and linearizable (what Line-Up
// leaves as future work): a try that may fail because others are busy, a count that may be of some
// moment before, a cancellation that takes effect later.
//
// Whoever may fail, or may be wrong, has then done nothing; so serial histories in which it is left
// out are needed: the runner gives them, with the result kLeftOut. An operation that takes effect
// later is a thread of its own in serial histories, and returns at the very end of concurrent ones.
#pragma once

#include <string_view>
#include <vector>

#include "lineup/history.hpp"
#include "lineup/matrix.hpp"
#include "lineup/serial.hpp"
#include "lineup/witness.hpp"
#include "plumb/test_abi.hpp"

namespace plumb::lineup {

/// Of an operation that may fail.
inline bool is_failure(const Invocation& invocation, std::string_view result) {
  return result == "null" || result.starts_with("error(") ||
         (result == "false" && invocation.false_is_failure);
}

/// A test in which every asynchronous operation has a column of its own. It takes effect later, not
/// earlier: after what its thread called before, and no thread waits for it. So main cannot wait at
/// the end for those columns either: from its first asynchronous call on, what it calls are columns
/// too, and `after` keeps everybody else's order. A test without such operations stays as it is.
struct Spread {
  Matrix test;
  std::vector<int> cells;  // by cell of the test as it was: the same in this one
  bool is_apart = false;   // some operation is asynchronous

  int before(int cell) const;  // the other way round
  SerialHistory before(SerialHistory serial) const;
};
Spread spread(const Matrix& test, const Object& object);

/// Asynchronous operations return at the end, whoever called them.
ObservedHistory returning_late(const ObservedHistory& history, const Matrix& test,
                               const Object& object);

/// The history as one of the spread test.
ObservedHistory spread(const ObservedHistory& history, const Matrix& test, const Object& object,
                       const Spread& spread);

/// Which operations of the history, one of the test as it was, may have done nothing; by cell of
/// the spread test.
Leniency leniency_of(const Matrix& test, const Object& object, const ObservedHistory& history,
                     const Spread& apart, const SerialHistories& serial, const Results& results);

/// The serial histories in which nothing is left out but what may be.
SerialHistories gather(const SerialHistories& serial, const Leniency& leniency);

/// What can be asked of a history if no serial histories, but a specification is given. Nothing is
/// known then of the values that a weak read may have: it is left out.
struct RelaxedHistory {
  ObservedHistory history;    // of the test as it was; asynchronous operations return late
  std::vector<int> optional;  // may have done nothing: it need be right only without some of them
  std::vector<int> left_out;  // already
};
RelaxedHistory relaxed_history_of(const Matrix& test, const Object& object,
                                  const ObservedHistory& history, const Results& results);
ObservedHistory without(ObservedHistory history, const std::vector<int>& operations);

}  // namespace plumb::lineup
