// SPDX-License-Identifier: MIT
// Why a counterexample is one, in words.
#pragma once

#include <optional>

#include "plumb/check.hpp"

namespace plumb {

/// Fills in `why` and `possible_results` from the operations and the culprit. Every sentence has
/// been checked on the history; where nothing specific is true, it says something general.
/// `initial`: the object's initial value, if it is not the one that the history names.
/// Requires: `operations` ascending, with the culprit among them.
void explain(const History& history, const Specification& specification,
             Counterexample& counterexample, std::optional<Value> initial = {});

}  // namespace plumb
