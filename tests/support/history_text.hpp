// SPDX-License-Identifier: MIT
// Histories on one line, for tests.
//
//   "A enq(1) | B deq | A: nil | B: 1"      events in real-time order, separated by bars
//   "A enq(1): nil | B deq: 1"              a call and its return at once
//
//   A enq(1)      process A calls enq(1); no parentheses: no arguments
//   A q.enq(1)    ... of the object q
//   A: 1          process A returns 1
//   A!            process A crashes
//   #             the history is stuck; the last event
//   // remark     up to the next bar or the end
//
// Values are integers, reals, true, false, nil, "strings" (no escapes), [lists, of values]; any
// other word is a string, so that `A: ok` returns "ok". Operations without a return are pending.
//
// With clock values the bars separate operations, in the order in which each process made them:
//
//   "A enq(1): nil @3-7 | B deq @5-"        enq from 3 to 7, deq from 5 on, pending
//   "A deq @5!"                             crashed
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "check/problem/engine.hpp"
#include "check/problem/problem.hpp"
#include "plumb/history.hpp"
#include "plumb/specification.hpp"

namespace plumb::test {

/// Requires: the text is well-formed; else it throws std::invalid_argument.
/// `specification` and `initial` are those of every object.
History parse_history(std::string_view text, std::string specification = {},
                      std::optional<Value> initial = {});

/// A text that parses to the same history.
std::string to_text(const History& history);

/// The whole history as one problem, without partitions. Requires: the history outlives it, and
/// its operations are the specification's (else std::invalid_argument).
Problem make_problem(const History& history, const Specification& specification);

/// A history with its problem.
struct Case {
  Case(std::string_view text, const Specification& specification, std::optional<Value> initial = {})
      : history(parse_history(text, specification.name(), initial)),
        problem(make_problem(history, specification)) {}
  Case(std::string_view text, std::string_view specification, std::optional<Value> initial = {})
      : Case(text, *find_specification(specification), initial) {}
  Case(const Case&) = delete;
  History history;
  Problem problem;
};

/// Those that decide every problem; the others may decline.
const std::vector<std::string>& general_engines();

/// The answer of one engine, without limits. A `holds` whose witness does not replay throws
/// std::logic_error.
Answer decide_verified(const std::string& engine, const Problem& problem,
                       const EngineOptions& options = {});

/// What all engines say. Throws std::logic_error if they do not agree. Requires: small.
Verdict verdict(const Problem& problem);
inline Verdict verdict(const Case& c) { return verdict(c.problem); }

}  // namespace plumb::test
