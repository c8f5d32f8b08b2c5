// SPDX-License-Identifier: MIT
// The search over pairs: a state of the implementation, and the set of specification states that
// are possible there.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/budget.hpp"
#include "model/code/machine.hpp"
#include "plumb/verdict.hpp"
#include "refine/question/question.hpp"
#include "refine/tables/checkpoint.hpp"

namespace plumb::refine {

// Public types that other layers call by this namespace.
using plumb::Native;
using plumb::Reductions;
using plumb::SearchProgress;

/// Where the reductions are: eager returns and late calls in moves.hpp, symmetry in symmetry.hpp,
/// partial order in cartesian.hpp, antichain in store.hpp, generators in monitor.cpp.
inline constexpr Reductions kNoReductions = {false, false, false, false, false, false};

/// By the names that reports give them.
struct ReductionName {
  const char* name;
  bool Reductions::*on;
};
inline constexpr ReductionName kReductions[] = {
    {"eager_returns", &Reductions::eager_returns}, {"late_calls", &Reductions::late_calls},
    {"symmetry", &Reductions::symmetry},           {"partial_order", &Reductions::partial_order},
    {"antichain", &Reductions::antichain},         {"generators", &Reductions::generators}};

/// One plain step: its index among the successors of a process (Machine::successors).
struct PlainStep {
  std::uint32_t process = 0, ordinal = 0;
};

struct Found {
  Verdict verdict = Verdict::undecided;
  enum Kind { none, unexplained, fault, stuck } kind = none;  // violation
  std::vector<PlainStep> trace;                               // violation: unreduced
  std::uint32_t culprit = 0;                                  // stuck: a process
  bool fewest_operations = false, fewest_steps = false;       // of the trace: least.hpp
  Budget::Stop stopped = Budget::Stop::none;                  // undecided: why; search_limit: full
  std::optional<model::Fault> spec_fault;                     // undecided: the spec itself is wrong
  std::uint64_t states = 0;                                   // pairs that were kept
  std::uint64_t implementation = 0;  // different states of the implementation among them
  std::uint64_t transitions = 0, depth = 0, waiting = 0;
  std::uint64_t cuts = 0;  // steps without a free node: with any of them, nothing is proved
  std::uint64_t sets = 0, largest_set = 0, spec_states = 0;
  model::Coverage coverage;    // what the object's code did
  bool native = false;         // native code was used
  double compile_seconds = 0;  // until it was there; part of the time of the search
  // Checkpoints.
  std::uint64_t states_before = 0;  // that earlier runs had found
  double seconds_before = 0;        // that they took
  bool saved = false;               // undecided: another run can resume from here
  std::optional<Error> unsaved;     // why the last one could not be written
  std::optional<Error> refused;     // why nothing was done: it cannot resume from the file
};

struct SearchOptions {
  Reductions reductions = {};
  Criterion criterion = Criterion::linearizable;
  unsigned jobs = 1;  // threads; nothing that is found depends on it
  Native native = Native::never;
  bool compact = false;  // states by 64 bits of a hash: store.hpp
  /// It stops after the block of states in which it has made more; the same ones every time.
  std::uint64_t most_transitions = ~std::uint64_t{0};
  CheckpointOptions checkpoint = {};
};

/// Decides whether every history of the implementation is as the criterion says.
Found refine(const model::Program& program, const SearchOptions& options, Budget& budget,
             SearchProgress* progress = nullptr);

/// Visits the states of the implementation alone, one plain step at a time; of the reductions there
/// is only symmetry. A fault is a violation; nothing else is judged.
Found explore(const model::Program& program, const SearchOptions& options, Budget& budget,
              SearchProgress* progress = nullptr);

}  // namespace plumb::refine
