// SPDX-License-Identifier: MIT
// Events as the just-in-time search sees them: with slots, without operations that cannot matter.
#pragma once

#include <vector>

#include "check/problem/engine.hpp"

namespace plumb::jit {

struct Step {
  OperationId op;
  std::uint32_t slot : 29;
  std::uint32_t is_return : 1;
  std::uint32_t pure : 1;
  std::uint32_t optional : 1;  // it did not return, and no order within a process concerns it
};

struct Window {
  std::vector<Step> steps;
  std::vector<std::uint32_t> slot;  // by operation, kNone: left out
  std::vector<bool> linked;         // by operation: it has `after`, or is another's
  std::size_t slots = 0;
  bool chained = false;  // some are linked
};

Window make_window(const Problem& problem, const EngineOptions& options);

}  // namespace plumb::jit
