// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "check/problem/engine.hpp"

namespace plumb {

/// A violation, cut down to what matters; operations are the given problem's.
struct Minimised {
  std::vector<OperationId> operations;  // ascending
  OperationId culprit = kNone;          // whose return, or blocking, nothing explains
  std::uint32_t cut = kNone;            // events from here on are ignored (position)
  std::uint32_t left = 0;               // events before this position became `problem`'s origin
  std::string left_state;               // printed; empty where left is 0
  bool minimal = false;                 // no operation can be weakened any more
  std::string confirmed_by;             // the second engine; empty: none within its limits
  std::string contradicted_by;          // an engine that finds no violation in it: a bug of ours
  Problem problem;                      // the operations alone, for whoever explains them
};

struct MinimiseOptions {
  std::function<Answer(const Problem&, Budget&, const EngineOptions&)> decide = decide_auto;
  std::size_t most =
      600;               // operations; longer histories are not weakened before the cut on the left
  bool cut_left = true;  // where real time does not count, a state in the middle means nothing
};

/// Drops operations from `kept` that do not matter: the problem stays a violation even if they
/// happen at any time after their call, or never. Never drops `culprit` (kNone: there is none).
/// Returns: whether no single operation can be dropped any more.
bool weaken(const Problem& problem, OperationId culprit, Budget& budget,
            const MinimiseOptions& options, std::vector<OperationId>& kept);

/// Requires: `answer` is a violation of `problem`.
Minimised minimise(const Problem& problem, const Answer& answer, Budget& budget,
                   const MinimiseOptions& options = {});

}  // namespace plumb
