// SPDX-License-Identifier: MIT
// The body of an execution that tests an object: creates the object, and lets threads call the
// operations of the board's matrix.
#pragma once

#include <cstdint>

#include "plumb/test_abi.hpp"

namespace plumb::runtime {

void run_object(const plumb_object& object);

/// Of a cell of the board's matrix: "push(1)". Requires: run_object() was called.
const char* text_of_operation(std::uint16_t cell);

}  // namespace plumb::runtime
