// SPDX-License-Identifier: MIT
// The core of a violation: what a proof needs of each operation, and nothing else.
#pragma once

#include <functional>
#include <set>
#include <vector>

#include "check/problem/engine.hpp"
#include "plumb/nondeterminism.hpp"

namespace plumb {

/// What a proof needs of an operation. What it does not need is forgotten, and forgetting explains
/// more: every order of the history is an order of what is left of it.
enum class Needed : std::uint8_t {
  nothing,  // it may have taken effect at any time, with any result, or never
  call,     // the same, but not before its call
  outcome,  // what it returned, and when; in a stuck history also that it never returned
};

/// What is left of a problem of which only that is known (one for each operation). An operation of
/// which nothing is needed becomes a pending one that is called before everything else.
class Forgetting {
 public:
  /// `family`: whose values come and go, if the specification does not say it itself.
  /// Requires: `whole` outlives it.
  explicit Forgetting(const Problem& whole, Family family = Family::none);

  Problem problem(const std::vector<Needed>& needed) const;

  /// The same without those forgotten operations that cannot explain anything, which searches take
  /// long to find out.
  Problem short_problem(const std::vector<Needed>& needed) const;

  /// The operations of which something is needed, alone.
  Problem alone(const std::vector<Needed>& needed) const;

  Role role(OperationId op) const;

 private:
  Problem make(const std::vector<Needed>& needed, const std::vector<bool>& left_out) const;
  std::vector<bool> useless(const std::vector<Needed>& needed) const;
  bool unseen_values_are_useless(const std::vector<Needed>& needed) const;
  std::set<Value> seen_values(const std::vector<Needed>& needed) const;
  const BoundLabel& label_of(OperationId op) const { return labels_[whole_.ops[op].label]; }

  const Problem& whole_;
  const Family family_;
  std::vector<BoundLabel> labels_;   // of `whole`, without their results
  std::vector<bool> pure_;           // of these
  std::vector<LabelId> same_label_;  // the first one that is equal without its result
};

/// All that is known of the operations up to that event, and the calls of the later ones. Of an
/// operation that is open there, the outcome is known if it returned later.
std::vector<Needed> known_up_to(const Problem& problem, std::uint32_t last_event,
                                bool of_open_ones = true);

/// What is left of a history may lead to states for which its specification is not defined,
/// although the history itself does not. Then nothing is known.
template <class F>
Answer decide_where_defined(F decide) {
  try {
    return decide();
  } catch (const SpecificationError&) { return {}; }
}

using Decide = std::function<Answer(const Problem&, Budget&, const EngineOptions&)>;

struct Core {
  std::vector<Needed> needed;  // by operation of the problem
  bool minimal = false;        // nothing more can be forgotten
  std::string engine;          // that says so
};

struct CoreOptions {
  /// Whether even an operation that changes nothing, or a value that is never seen, can explain
  /// something: where `decide` does not ask for an order alone.
  bool all_count = false;
  Family family = Family::none;  // see Forgetting
};

/// Forgets as much as possible such that a violation is left. `answer`: where to begin: the
/// violation that an engine found, with its failing event and its core, if it gave them.
/// Requires: `decide` refutes the problem.
Core find_core(const Problem& problem, const Answer& answer, Budget& budget, const Decide& decide,
               const CoreOptions& options = {});

}  // namespace plumb
