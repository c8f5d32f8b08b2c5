// SPDX-License-Identifier: MIT
// Engines: decision procedures for one problem. One file each; this is all they have in common.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/budget.hpp"
#include "check/problem/problem.hpp"
#include "plumb/verdict.hpp"

namespace plumb {

/// What a search did. Every engine fills in what it has.
struct SearchStats {
  std::uint64_t configurations = 0;  // distinct ones that were remembered
  std::uint64_t steps = 0;           // operations tried
  std::uint64_t states = 0;          // of the specification
  std::uint64_t peak_frontier = 0;   // largest set of configurations held at once (breadth-first)
  std::uint64_t bytes = 0;           // of the search's own tables, at their largest
};

struct Answer {
  Verdict verdict = Verdict::undecided;
  std::string engine;                 // that gave it
  std::string reason;                 // why undecided
  std::string why_engine;             // auto: why this one was chosen, and
  std::vector<std::string> declined;  // which others declined before it, and why
  /// holds: an order of all completed and some other operations of the problem. In a stuck history
  /// one order for each judged operation, in their order, after which it blocks.
  std::vector<std::vector<OperationId>> witnesses;
  /// holds: makes the witness on demand, so that deciding and proving are timed apart.
  /// Only while the problem lives. Empty: it is in `witnesses` already.
  std::function<std::vector<OperationId>()> prove;
  /// violation: position of the earliest return that no order can explain, if the engine knows it;
  /// for a stuck history, or where unknown: kNone.
  std::uint32_t failing_event = kNone;
  /// violation of a stuck history: the operation that has no reason to block (kNone: the completed
  /// operations are not linearizable by themselves).
  OperationId unjustified = kNone;
  /// violation: operations that suffice for it, if the engine knows them (ascending).
  std::vector<OperationId> core;
  /// found breadth first: the last moment at which the search had a single configuration, a
  /// position of the problem's events, with the operations pending there that had taken effect.
  struct Forced {
    std::uint32_t position = kNone;
    std::vector<OperationId> linearized;
    std::shared_ptr<StateSpace> space;
    StateId state = 0;
  } forced;
  /// how far the search came: returns that were explained by some order
  std::uint64_t covered = 0;
  SearchStats stats;
};

/// The operation whose return no order explains, or that has no reason to block; kNone: not known.
inline OperationId culprit_of(const Problem& problem, const Answer& answer) {
  return answer.failing_event != kNone ? problem.events[answer.failing_event].operation()
                                       : answer.unjustified;
}

struct EngineOptions {
  std::size_t lru_entries = 0;  // wgl: 0 keeps every configuration
  bool breadth_first = false;   // jit
  bool depth_first = false;     // jit: neither: both, by budget
  bool pure_labels = true;      // jit: prunings, switchable for cross-checks
  bool deadline_first = true;
  bool domination = true;
  std::size_t first_slot = 0;  // jit: so that small tests reach masks of several words
  /// Answer::forced is wanted only before this position (a stream continues after the problem).
  std::uint32_t forced_before = kNone;
  bool witness = true;  // jit, breadth first: whether `holds` needs one
};

/// The literal definition, for small problems: the oracle.
Answer decide_brute(const Problem& problem, Budget& budget);
/// Horn & Kroening's Algorithms 1 and 2: the baseline.
Answer decide_wgl(const Problem& problem, Budget& budget, const EngineOptions& options = {});
/// Windowed just-in-time search: the workhorse.
Answer decide_jit(const Problem& problem, Budget& budget, const EngineOptions& options = {});
/// The better search for the problem, without asking any monitor first.
Answer decide_by_search(const Problem& problem, Budget& budget, const EngineOptions& options = {});
/// Chooses; falls back.
Answer decide_auto(const Problem& problem, Budget& budget, const EngineOptions& options = {});

/// The part of that which is fast: only the engines that name the operations of a violation.
Answer decide_without_search(const Problem& problem, Budget& budget);

/// By name, as in --engine. Requires: is_engine(name).
Answer decide(const std::string& engine, const Problem& problem, Budget& budget,
              const EngineOptions& options = {});
bool is_engine(const std::string& name);
std::vector<std::string> engine_names();

/// Necessary conditions that need no search: values observed that were never added, or more copies
/// removed than added. Returns a violation with its core, or undecided.
Answer refute_by_traffic(const Problem& problem);

/// Makes the witness of an answer that put it off.
inline void complete(Answer& answer) {
  if (!answer.prove) return;
  answer.witnesses.assign(1, answer.prove());
  answer.prove = nullptr;
}

/// Replays a witness: every completed operation once, the others at most once, in an order that
/// respects happens-before and that the specification allows. Shares no code with the engines.
/// Requires: complete(answer). Returns: empty, or what is wrong with it.
std::string verify_witness(const Problem& problem, const Answer& answer);

/// The first two of that, which do not ask the specification.
std::string verify_sequentialization(const Problem& problem, const std::vector<OperationId>& order);

/// "time-out", "memory limit of 5 MiB", "interrupted", "search limit", ...
std::string describe_stop(const Budget& budget);

}  // namespace plumb
