// SPDX-License-Identifier: MIT
// The body of an execution that tests an object: creates the object, and lets threads call the
// operations of the board's matrix.
#pragma once

#include "plumb/test_abi.hpp"

namespace plumb::runtime {

void run_object(const plumb_object& object);

}  // namespace plumb::runtime
