// SPDX-License-Identifier: MIT
#pragma once

#include "plumb/check.hpp"

namespace plumb {

/// The counterexample as a history of its own: a violation whatever the operations did that it does
/// not show, because they are there as pending ones that were called before everything else. An
/// error: it begins in the middle. `initial` empty: as the history says.
Result<History> core_history(const History& history, const Counterexample& counterexample,
                             const std::string& specification, std::optional<Value> initial);

}  // namespace plumb
