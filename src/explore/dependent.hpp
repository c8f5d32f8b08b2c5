// SPDX-License-Identifier: MIT
// Which steps of different threads can be exchanged. `dependent` (strategy.hpp) is what a history
// needs: memory, and what returns before what is called. `conflict` is the part of it that memory
// needs.
#pragma once

#include "explore/strategy.hpp"

namespace plumb::explore {

bool conflict(const Access& a, const Access& b);
bool conflict(const Step& a, const Step& b);

}  // namespace plumb::explore
