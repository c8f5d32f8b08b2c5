// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "check/property/quasi/relaxation.hpp"
#include "plumb/specification.hpp"

namespace plumb::quasi {

/// Queues, stacks and priority queues, blocking ones, too: by their family. All of their methods
/// have a role, and their initial content is known.
bool has_k_automaton(const Specification& plain);
std::vector<std::string> names_of_k_automata();
/// Whether the method takes elements out. Requires: has_k_automaton(plain).
bool removes(const Specification& plain, MethodId method);
std::vector<std::string> names_of_removals(const Specification& plain);

/// The relaxed object as a specification of its own, with the methods of the plain one: a history
/// is quasi linearizable iff it is linearizable to this one.
/// Requires: has_k_automaton(plain), which outlives it; !permutes(relaxation).
std::unique_ptr<Specification> make_k_automaton(const Specification& plain, Relaxation relaxation,
                                                const Factors& factors);

/// What became of one element in a sequential run.
struct Departure {
  Value element;
  std::size_t removal = SIZE_MAX;         // the operation of the run; SIZE_MAX: it stayed
  std::vector<Value> ahead;               // the elements before it at that time, the head first
  std::vector<std::size_t> overtaken_by;  // operations that took another one although it was before
};
/// Every element of a run of the relaxed object. Of equal elements the nearest to the head leaves.
/// Requires: has_k_automaton(plain); removals return elements that are inside.
std::vector<Departure> departures(const Specification& plain, std::optional<Value> initial,
                                  const std::vector<BoundLabel>& run);

}  // namespace plumb::quasi
