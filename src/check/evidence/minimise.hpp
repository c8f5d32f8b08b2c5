// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "check/evidence/core.hpp"

namespace plumb {

/// A violation, cut down to what matters; operations are the given problem's.
struct Minimised {
  std::vector<OperationId> operations;   // ascending
  std::vector<OperationId> only_called;  // those of them whose outcome is not needed, ascending
  OperationId culprit = kNone;           // whose return, or blocking, nothing explains
  std::uint32_t left = 0;                // events before this position became `problem`'s origin
  std::string left_state;                // printed; empty where left is 0
  bool left_open = false;                // what is open at `left` takes effect later
  bool minimal = false;                  // nothing of it can be forgotten any more
  bool self_contained = false;  // a second engine refutes it whatever the other operations did
  std::string confirmed_by;     // the second engine; empty: none within its limits
  std::string contradicted_by;  // an engine that finds no violation in it: a bug of ours
  Problem problem;              // the operations alone, for whoever explains them
};

struct MinimiseOptions {
  Decide decide = decide_auto;
  std::size_t most = 600;  // operations; of more, none are forgotten before the cut on the left
  bool cut_left = true;    // where real time does not count, a state in the middle means nothing
  Family family = Family::none;  // see Forgetting
};

/// Requires: `answer` is a violation of `problem`.
Minimised minimise(const Problem& problem, const Answer& answer, Budget& budget,
                   const MinimiseOptions& options = {});

/// Has a second engine refute the whole problem, for `factor` times as many steps as `minimise`
/// allows it: where it confirmed nothing.
void confirm_whole(const Problem& problem, const Answer& answer, std::uint64_t factor,
                   Budget& budget, Minimised& cut);

/// Fills in the operations of which something is needed.
void set_operations(const Problem& problem, const std::vector<Needed>& needed, Minimised& cut);

}  // namespace plumb
