// SPDX-License-Identifier: MIT
// The schedules of a test in parts, so that a campaign can go through all its tests with one
// preemption before any is run with two.
#include "session/object_runner.hpp"

namespace plumb::session {

using lineup::Matrix;
using lineup::RunResult;

// After few preemptions: every schedule.
bool ObjectRunner::goes_deeper() const {
  return settings_.strategy == SearchBy::automatic &&
         (!settings_.preemptions_given || settings_.exhaustive);
}

std::vector<lineup::Stage> ObjectRunner::stages() const {
  const int most = settings_.preemptions;
  const bool is_bounded =
      most >= 0 && (settings_.preemptions_given || settings_.strategy == SearchBy::automatic ||
                    settings_.strategy == SearchBy::dfs);
  if (!is_bounded || !settings_.replay.empty() || !first_.empty())
    return {{settings_.preemptions_given ? most : kUsual}};
  constexpr int kMostSteps = 4;  // more of them would hardly differ in what they cost
  std::vector<lineup::Stage> stages;
  for (int from = 0, to = 1; from <= most; from = to + 1, to = from) {
    if (to > kMostSteps || most < to) to = most;
    stages.push_back({to, from});
  }
  if (goes_deeper()) stages.push_back({kEvery, 0, settings_.exhaustive});
  return stages;
}

// With --compare, executions are counted one by one up to the place where the search is cut. Else
// other processes help after a moment: they take a while to start.
Watch::Ended ObjectRunner::run_search(const Process::How& how) {
  constexpr double kAloneSeconds = 0.2;
  const bool may_divide = cores_ != nullptr && !compare_;
  return may_divide ? watch_.run_divided(how, *cores_, kAloneSeconds) : watch_.run(how);
}

// Where it switches depends on the stages before, and on no other test. So it does not matter
// which tests were run before, nor where.
RunResult ObjectRunner::run_stage(const Matrix& test, const lineup::Stage& stage,
                                  lineup::TestMemory& memory, const OnHistory& on_history) {
  const bool is_part = stage.preemptions >= 0 || stage.preemptions == kEvery;
  if (!is_part || stages().size() == 1) return concurrent(test, stage.preemptions, on_history);
  switch_at(memory.points);
  explore::Options what;
  if (stage.preemptions == kEvery) {
    what.kind = explore::Kind::dpor;
  } else {
    what.dfs.first_bound = static_cast<std::uint32_t>(stage.from);
    what.dfs.last_bound = static_cast<std::uint32_t>(stage.preemptions);
  }
  RunResult all = run_searches(test, {what}, memory.executions, on_history);
  const auto points = watch_.board().sites.all();
  memory.points.clear();
  for (const void* const pc : points) memory.points.push_back(reinterpret_cast<std::uintptr_t>(pc));
  return all;
}

}  // namespace plumb::session
