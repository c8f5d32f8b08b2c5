// SPDX-License-Identifier: MIT
// Monitors: polynomial decision procedures for one object each. A monitor looks at the data first;
// where its precondition fails it answers `undecided` and says why, so that nobody has to promise
// anything. One file each; every file opens with its rule, why it is right and what it costs.
#pragma once

#include "check/problem/engine.hpp"

namespace plumb {

/// Read, write and cas of one cell with few values: lazy hiding.
Answer decide_hiding(const Problem& problem, Budget& budget, const EngineOptions& options);

/// One key of a set: lazy flips.
Answer decide_set(const Problem& problem, Budget& budget, const EngineOptions& options);
/// A counter that only goes up: lazy steps.
Answer decide_counter(const Problem& problem, Budget& budget, const EngineOptions& options);
/// Read, write and successful cas of one cell, every value put once: Gibbons & Korach's zones.
Answer decide_zones(const Problem& problem, Budget& budget, const EngineOptions& options);
/// Read and write of one cell, no two writes concurrent, values may repeat: online.
Answer decide_soar(const Problem& problem, Budget& budget, const EngineOptions& options);
/// The same by the letter: Guerraoui & Vukolic's predicate, and the one that it replaces, with and
/// without its single-writer optimisation. Baselines; only by name.
Answer decide_soar_literal(const Problem& problem, Budget& budget, const EngineOptions& options);
Answer decide_clmt(const Problem& problem, Budget& budget, const EngineOptions& options);
Answer decide_clmt_literal(const Problem& problem, Budget& budget, const EngineOptions& options);
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
