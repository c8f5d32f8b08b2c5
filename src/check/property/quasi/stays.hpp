// SPDX-License-Identifier: MIT
// What comes and goes in a queue, if each element does so once.
#pragma once

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "check/problem/problem.hpp"
#include "spec/families.hpp"

namespace plumb::quasi {

/// Of one element. `deq` has returned; kNone: none has.
struct Stay {
  OperationId enq = kNone, deq = kNone;
};

/// In the order of their enqs. An enq that never returned is there only if its element has left.
/// Nothing: it is no queue's, or not empty at first, an element is added or removed twice, or
/// removed before it was added, or processes have orders of their own.
inline std::optional<std::vector<Stay>> stays_of(const Problem& problem,
                                                 const Specification& plain) {
  if (plain.family() != Family::queue || problem.chained() || problem.origin || problem.stuck)
    return std::nullopt;
  const auto initial = initial_content(plain, problem.initial);
  if (!initial || !initial->empty()) return std::nullopt;
  std::unordered_map<Value, Stay> by_value;
  for (OperationId op = 0; op < problem.ops.size(); ++op) {
    const Movement moves = movement(plain, problem.labels[problem.ops[op].label]);
    if (moves.comes && std::exchange(by_value[*moves.comes].enq, op) != kNone) return std::nullopt;
    if (moves.leaves && problem.ops[op].completed() &&
        std::exchange(by_value[*moves.leaves].deq, op) != kNone)
      return std::nullopt;
  }
  std::vector<Stay> stays;
  for (const auto& [value, stay] : by_value) {
    if (stay.enq == kNone) return std::nullopt;
    if (stay.deq != kNone && problem.ops[stay.deq].ret < problem.ops[stay.enq].call)
      return std::nullopt;
    if (stay.deq != kNone || problem.ops[stay.enq].completed()) stays.push_back(stay);
  }
  std::sort(stays.begin(), stays.end(), [](const Stay& a, const Stay& b) { return a.enq < b.enq; });
  return stays;
}

}  // namespace plumb::quasi
