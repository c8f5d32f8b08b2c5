// SPDX-License-Identifier: MIT
// How a command, or a program under test, ends: the same numbers everywhere.
#pragma once

#include "plumb/result.hpp"

namespace plumb {

enum class ExitStatus {
  holds = 0,
  violation = 1,
  undecided = 2,
  usage = 64,
  bad_input = 65,
  missing_file = 66,
  internal = 70,
  interrupted = 130
};

/// What an error ends with: the numbers are the same.
constexpr ExitStatus exit_status(ErrorKind kind) { return static_cast<ExitStatus>(kind); }

constexpr int to_int(ExitStatus status) { return static_cast<int>(status); }

}  // namespace plumb
