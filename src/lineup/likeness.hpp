// SPDX-License-Identifier: MIT
// Whether an object did serially what a specification does, if its methods are matched to those of
// the specification. The same thing may be said in other words: see may_say() in likeness.cpp.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "lineup/behaviour.hpp"
#include "lineup/matrix.hpp"
#include "plumb/specification.hpp"

namespace plumb::lineup {

/// A behaviour as comparisons need it.
struct Observed {
  struct Method {
    std::string name;
    std::vector<int> invocations;
    std::vector<std::string> results;  // each once
    bool waits = false;                // somewhere
  };
  Observed(const Behaviour& behaviour, const Object& object);

  const Behaviour& behaviour;
  const Object& object;
  std::vector<Method> methods;              // that were called
  std::vector<int> method_of;               // of an invocation; -1: it was not called
  std::vector<std::vector<Value>> args;     // of an invocation
  std::vector<std::optional<Value>> value;  // of a call: its result, if it is one in JSON
  std::vector<int> shortest_first;          // calls; by one thread before by several
};

/// Of each method of Observed: the specification's; kNotMatched: its calls are left out.
using Matching = std::vector<int>;
inline constexpr int kNotMatched = -1;

struct Comparison {
  std::uint64_t agree = 0;  // sequences
  int longest = 0;          // of them
  bool has_misuse = false;  // some were not compared: a lock is unlocked that is not held
  int differs = 0;          // the shortest sequence that does not; 0: all agree
  std::string expected;     // then: what the specification returns, "waits", "returns"
  bool varies = false;      // the results of some method were not always the same
  bool is_exact = true;     // nothing was said in other words
  std::set<int> waits;      // methods that wait where those of the specification refuse
};

class Likeness {
 public:
  /// `bounded`: where the specification refuses, the object may wait.
  Likeness(const Observed& observed, const Specification& specification,
           std::optional<Value> initial, bool bounded);

  /// Whether the arguments and results of an object's method could be those of this one,
  /// whatever it waits for.
  bool is_possible(int method, MethodId of) const;
  /// `until_differs`: the count does not matter if they differ.
  Comparison compare(const Matching& matching, bool until_differs) const;

  const Specification& specification() const { return specification_; }
  const std::optional<Value>& initial() const { return initial_; }

 private:
  bool has_boolean_values() const;
  bool is_possible_result(const std::string& text, int method, MethodId of) const;

  const Observed& observed_;
  const Specification& specification_;
  std::optional<Value> initial_;
  bool bounded_;
  std::unique_ptr<StateSpace> states_;
};

}  // namespace plumb::lineup
