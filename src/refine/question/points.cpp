// SPDX-License-Identifier: MIT
// Section 3.3 of the paper (see monitor.cpp). The designer marks the statements at which operations
// take effect (`linearize`). There, and nowhere else, the specification makes its step for the
// operation; what it returns is kept until the operation returns, and must be the same. The paper
// makes the marked actions visible together with their results, and hides calls and returns, which
// compares the same: the result, with the step that gave it.
//
// So nothing is left to be guessed, and a set has one configuration, or, where the specification is
// nondeterministic, those that differ in its choices. That is what makes the product small.
//
// A set is empty if a mark is passed where the specification blocks, or for the second time by one
// operation, or if an operation returns without having passed any, or another result than the
// specification gave it. Any of these may be the fault of the marks. But if no set is empty, the
// marks are an order that explains every history (Theorem 2): each lies between the call and the
// return of its operation. May an operation be stuck? Only if it has not passed its mark, and the
// specification blocks it after what has returned (may_be_stuck); with marks there is one order
// that can show it, without them there may be more.
#include "refine/question/points.hpp"

#include <algorithm>

namespace plumb::refine {

SetId PointsMonitor::after_call(SetId set, std::uint32_t process, model::CallNumber call) {
  std::vector<Config> next;
  for (const Config config : members(set))
    next.push_back(changed(config, process, status_of_call(call)));
  return intern(next);
}

SetId PointsMonitor::took_effect(SetId set, std::uint32_t process) {
  if (const auto known = effective().find(set, process)) return *known;
  std::vector<Config> next;
  // Of a process that has taken effect already there are no taus.
  for (const Config config : members(set))
    for (const Tau& tau : taus(config))
      if (tau.process == process) next.push_back(tau.to);
  const SetId to = intern(next);
  effective().enter(set, process, to);
  return to;
}

SetId PointsMonitor::after_return(SetId set, std::uint32_t process, model::Cell result) {
  std::vector<Config> next;
  for (const Config config : members(set))
    if (row(config)[process + 1] == status_of_result(result))
      next.push_back(changed(config, process, kIdle));
  return intern(next);
}

bool PointsMonitor::find_inclusion(SetId larger, SetId smaller) {
  const auto all = members(larger), some = members(smaller);  // sorted
  return std::includes(all.begin(), all.end(), some.begin(), some.end());
}

}  // namespace plumb::refine
