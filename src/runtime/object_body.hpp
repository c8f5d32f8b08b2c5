// SPDX-License-Identifier: MIT
// What an execution does that tests an object: makes it, and lets threads call what the board says.
#pragma once

#include "plumb/test_abi.hpp"
#include "runtime/board.hpp"

namespace plumb::runtime {

struct ObjectBody {
  const plumb_object* object;
  const Board* board;
};

void* run_object(void* body);  // an ObjectBody

}  // namespace plumb::runtime
