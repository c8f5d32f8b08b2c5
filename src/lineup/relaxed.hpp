// SPDX-License-Identifier: MIT
// Operations of which less is asked than that they are deterministic and linearizable (what Line-Up
// leaves as future work): a try that may fail because others are busy, a count that may be of some
// moment before, a cancellation that takes effect later.
//
// Whoever may fail, or may be wrong, has then done nothing; so serial histories in which it is left
// out are needed: the runner gives them, with the result kLeftOut. An operation that takes effect
// later is a thread of its own in serial histories, and returns at the end of concurrent ones.
#pragma once

#include <map>
#include <string_view>
#include <vector>

#include "lineup/history.hpp"
#include "lineup/matrix.hpp"
#include "lineup/serial.hpp"
#include "plumb/test_abi.hpp"

namespace plumb::lineup {

// Of an operation that may fail.
inline bool is_failure(std::string_view result) { return result == "false" || result == "null"; }

// A test in which every asynchronous operation has a column of its own.
struct Spread {
  Matrix test;
  std::vector<int> cells;  // by cell of the test as it was: the same in this one
  std::map<int, std::vector<int>> not_before;  // what is called before an asynchronous operation

  int before(int cell) const;  // the other way round
  SerialHistory before(SerialHistory serial) const;
  // It takes effect later, not earlier: whether a serial history of this test keeps to that.
  bool allows(const History& serial) const;
};
Spread spread(const Matrix& test, const Object& object);

// Serial histories of the spread test as such of the test as it was; those in which nothing is left
// out.
SerialHistories gather(const SerialHistories& serial, const Spread& spread);

// The history as one of the spread test.
History spread(const History& history, const Matrix& test, const Object& object,
               const Spread& spread);

}  // namespace plumb::lineup
