// SPDX-License-Identifier: MIT
// Operations that may take effect at any time, any number of times, as moves of the object itself.
#pragma once

#include <string>

#include "check/problem/engine.hpp"

namespace plumb {

/// Decides a problem without the operations that are pending and called before everything else:
/// between the others, the object may move as these would have moved it, as often as it likes. That
/// explains more, so a violation is one of the problem as well; and it is cheap, because nobody has
/// to remember which of them are left. Returns: a violation by that engine, or undecided.
Answer decide_with_free_moves(const std::string& engine, const Problem& problem, Budget& budget);

}  // namespace plumb
