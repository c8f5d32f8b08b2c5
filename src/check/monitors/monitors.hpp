// SPDX-License-Identifier: MIT
// Monitors: polynomial decision procedures for one object each. A monitor looks at the data first;
// where its precondition fails it answers `undecided` and says why, so that nobody has to promise
// anything. One file each; every file opens with its rule, why it is right and what it costs.
#pragma once

#include "check/engine.hpp"

namespace plumb {

/// Read, write and cas of one cell with few values: lazy hiding.
Answer decide_hiding(const Problem& problem, Budget& budget, const EngineOptions& options);

/// Collections whose values are unique.
Answer decide_queue(const Problem& problem, Budget& budget, const EngineOptions& options);
Answer decide_stack(const Problem& problem, Budget& budget, const EngineOptions& options);
Answer decide_priority_queue(const Problem& problem, Budget& budget, const EngineOptions& options);
Answer decide_bag(const Problem& problem, Budget& budget, const EngineOptions& options);

/// For a monitor whose precondition fails.
inline Answer not_for(const char* engine, std::string reason) {
  Answer answer;
  answer.engine = engine;
  answer.reason = std::move(reason);
  return answer;
}

}  // namespace plumb
