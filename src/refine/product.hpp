// SPDX-License-Identifier: MIT
// The search: every state of the implementation with everything that the specification allows
// there.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "check/budget.hpp"
#include "model/machine.hpp"
#include "plumb/verdict.hpp"

namespace plumb::refine {

struct Reductions {
  bool glue = true;       // returns at once, calls as late as possible
  bool symmetry = true;   // of processes
  bool antichain = true;  // smaller sets make larger ones superfluous
};

/// One plain step: the how manieth successor of a process it is (Machine::successors).
struct PlainStep {
  std::uint32_t process = 0, ordinal = 0;
};

struct SearchProgress {
  std::atomic<std::uint64_t> states{0}, waiting{0};
};

struct Found {
  Verdict verdict = Verdict::undecided;
  enum Kind { none, unexplained, fault, stuck } kind = none;  // violation
  std::vector<PlainStep> trace;                               // violation: unreduced
  std::uint32_t culprit = 0;                                  // stuck: a process
  Budget::Stop stopped = Budget::Stop::none;                  // undecided: why
  std::optional<model::Fault> spec_fault;                     // undecided: the spec itself is wrong
  std::uint64_t states = 0;                                   // pairs that were kept
  std::uint64_t implementation = 0;  // different states of the implementation among them
  std::uint64_t transitions = 0, depth = 0, waiting = 0;
  std::uint64_t cuts = 0;  // steps without a free node: with any of them, nothing is proved
  std::uint64_t sets = 0, largest_set = 0, spec_states = 0;
};

/// Decides whether every history of the implementation is one of the specification's.
Found refine(const model::Program& program, const Reductions& reductions, Budget& budget,
             SearchProgress* progress = nullptr);

/// Visits the states of the implementation alone, one plain step at a time. A fault is a violation;
/// nothing else is judged.
Found explore(const model::Program& program, bool symmetry, Budget& budget,
              SearchProgress* progress = nullptr);

}  // namespace plumb::refine
