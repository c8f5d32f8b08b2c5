// SPDX-License-Identifier: MIT
#pragma once

namespace plumb::runtime {

/// Do the hooks stand where the program's calls arrive? A program that is linked in another way
/// than it has to be would run, and every test would pass because nothing is seen. Returns: null,
/// or what is wrong and what to do, in memory that stays. Requires: no execution is running. Runs a
/// small one.
const char* self_check();

}  // namespace plumb::runtime
