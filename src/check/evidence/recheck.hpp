// SPDX-License-Identifier: MIT
// The evidence of a report, verified again by code that shares nothing with the engines.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "check/evidence/core.hpp"
#include "plumb/history.hpp"
#include "plumb/specification.hpp"

namespace plumb {

struct Rechecked {
  bool decided = true;
  std::string wrong;  // what is wrong with the evidence, or why it was not decided; empty: nothing
};

/// Whether what is needed of the operations of one object is a violation whatever the others did.
/// By operation of the history; what concerns other objects is ignored.
Rechecked recheck_core(const History& history, ObjectId object, const Specification& specification,
                       std::optional<Value> initial, const std::vector<Needed>& needed);

/// Whether the order explains all results of the history.
Rechecked recheck_order(const History& history,
                        const std::vector<const Specification*>& specifications,  // by object
                        std::optional<Value> initial, const std::vector<OperationId>& order);

}  // namespace plumb
