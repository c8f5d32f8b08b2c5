// SPDX-License-Identifier: MIT
#pragma once

#include "check/problem/engine.hpp"

namespace plumb {

/// Of a problem of reads and writes that is not linearizable: 2 if it is 2-atomic, 3 if it is not;
/// 0: not decided, or not a register.
unsigned staleness(const Problem& problem, Budget& budget);

}  // namespace plumb
