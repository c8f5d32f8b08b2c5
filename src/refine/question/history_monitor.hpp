// SPDX-License-Identifier: MIT
// Assertions on recorded histories, inside model checking: the baseline.
#pragma once

#include <string>
#include <vector>

#include "check/problem/engine.hpp"
#include "check/problem/problem.hpp"
#include "refine/question/question.hpp"
#include "refine/question/register_monitor.hpp"

namespace plumb::refine {

/// Requires: the program is a register with one writer. Reductions that merge states must be off:
/// states with different histories are different, however processes are named.
class HistoryMonitor final : public Monitor {
 public:
  using Engine = Answer (*)(const Problem&, Budget&, const EngineOptions&);

  HistoryMonitor(Sets& sets, Criterion criterion);

  SetId initial() override;
  SetId returned(SetId set, std::uint32_t process, model::Cell result) override;
  /// The assertions are about results.
  bool may_be_stuck(SetId, std::uint32_t&) override { return true; }

 private:
  SetId after_call(SetId set, std::uint32_t process, model::CallNumber call) override;
  bool assertion(SetId history);

  const Engine engine_;  // null: none is asked
  const RegisterShape shape_;
  std::vector<Value> values_;  // as in shape_
  Problem problem_;
  std::vector<const std::uint32_t*> path_;
};

/// Why the engine would decline the longest histories of a model; empty: it takes them.
std::string why_not_recorded(const model::Program& program, Criterion criterion);

}  // namespace plumb::refine
