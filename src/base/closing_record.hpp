// SPDX-License-Identifier: MIT
// How `plumb test` knows that a program came to its end. The last thing that it does, when its
// reports are written, is to write its exit status to a pipe. An exit status alone proves nothing:
// a global destructor that calls _exit(0) gives 0, too.
#pragma once

namespace plumb {

/// The pipe's file descriptor. What is written there is an int, for every program that ends.
inline constexpr const char* kClosingVariable = "PLUMB_CLOSING";

}  // namespace plumb
