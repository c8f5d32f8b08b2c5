// SPDX-License-Identifier: MIT
// Histories of a test as the other commands know histories.
#pragma once

#include "lineup/history.hpp"
#include "lineup/matrix.hpp"
#include "plumb/history.hpp"

namespace plumb::lineup {

std::vector<Value> argument_values(const Invocation& invocation);

/// `typed`: results and arguments are values, where their text is one in JSON; otherwise they are
/// what is printed.
plumb::History to_history(const Matrix& test, const Object& object, const ObservedHistory& history,
                          const Results& results, bool typed);

}  // namespace plumb::lineup
