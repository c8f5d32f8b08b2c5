// SPDX-License-Identifier: MIT
// What the process under test sends through its pipe.
#pragma once

#include <cstdint>

#include "runtime/wire/search_result.hpp"

namespace plumb::runtime {

/// A call or a return of an operation.
struct OperationEvent {
  bool is_call;
  std::uint8_t thread;
  std::uint16_t operation;  // a number that the harness chose
  std::uint64_t value;      // of a return: the number that stands for the result
};

/// Precedes a history (its events and its schedule follow), the text of a result, or the message
/// that the search has ended and the process waits for another one.
struct RecordHead {
  enum class Kind : std::uint32_t { history, name, end };
  Kind kind = Kind::history;
  std::uint32_t events = 0;
  std::uint32_t choices = 0;
  std::uint32_t stuck = 0;
  std::uint64_t number = 0;  // of a result; of a history: executions so far
  std::uint64_t hash = 0;    // of a history: those with the same are the same
  std::uint32_t length = 0;  // of the text
  Compared compared;         // of a history: so far, including this one
};

}  // namespace plumb::runtime
