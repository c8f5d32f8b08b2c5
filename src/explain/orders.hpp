// SPDX-License-Identifier: MIT
// What the culprit could have done instead.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "explain/story.hpp"

namespace plumb::report {

struct Alternatives {
  bool known = false;          // all orders were looked at
  bool of_all = false;         // of all operations, not only of those that are shown
  std::vector<Value> results;  // what the culprit may return in some order, ascending
  bool blocks = false;         // in some order it cannot return
};

/// Puts the operations in every order that respects happens-before and that the specification
/// allows, the culprit with whatever result it has there; of a stuck history, the culprit after all
/// completed ones. If there are more than 64 operations, or more than `max_steps` are needed, only
/// the shown ones are ordered; if that is still too much, `known` is false.
/// Complexity: orders that agree in the operations taken, the state and the culprit's result are
/// looked at once.
Alternatives find_alternatives(const Story& story, std::size_t max_steps = 200'000);

}  // namespace plumb::report
