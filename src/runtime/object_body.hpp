// SPDX-License-Identifier: MIT
// What an execution does that tests an object: makes it, and lets threads call what the board's
// matrix says.
#pragma once

#include "plumb/test_abi.hpp"

namespace plumb::runtime {

void run_object(const plumb_object& object);

}  // namespace plumb::runtime
