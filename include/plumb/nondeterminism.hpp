// SPDX-License-Identifier: MIT
// What the methods of a specification may do besides computing: block, and choose.
#pragma once

#include <cstddef>
#include <optional>
#include <stdexcept>
#include <string>

#include "plumb/export.hpp"
#include "plumb/value.hpp"

namespace plumb {

/// The operation cannot return in this state: a take from an empty buffer, a lock that is held.
/// What the method has changed so far is forgotten. In a program under test: it waits forever.
[[noreturn]] PLUMB_API void block();

/// One of 0 .. n-1, and every one of them is explored: the method runs once for each. Outside a
/// step of a specification, or of a program under test, it is 0. Requires: n > 0.
PLUMB_API std::size_t choose(std::size_t n);

/// The result that the method is expected to have, if there is one. Only to skip alternatives that
/// would not match anyway: a method must allow the same results whatever this says.
PLUMB_API std::optional<Value> expected_result();

/// An exception left a method of a specification, which therefore says nothing about the history.
class PLUMB_API SpecificationError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
  SpecificationError(const SpecificationError&) = default;
  ~SpecificationError() override;
};

}  // namespace plumb
