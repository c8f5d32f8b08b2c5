// SPDX-License-Identifier: MIT
// What a run of a test found. One that is not linearizable may race as well: the race is looked for
// on its own.
#include "session/object_runner.hpp"

namespace plumb::session {

void ObjectRunner::note_findings(const lineup::Matrix& test, lineup::RunResult& ran) {
  findings_ = watch_.found(heap_);
  found_in_ = test;
  if (findings_.empty()) return;
  const runtime::Finding& first = findings_.front().finding;
  ran.finding = first.kind;
  if (first.kind == FindingKind::assertion || first.kind == FindingKind::exception)
    ran.what = first.text;
}

std::optional<Shown> ObjectRunner::find_race(const lineup::Matrix& test,
                                             const lineup::ObservedHistory& near,
                                             std::uint64_t most_executions) {
  // Without such a point, no plain access was seen to race.
  const bool may_race = !near.points.empty() && !settings_.ignore.race &&
                        settings_.schedule_at == ScheduleAt::automatic;
  if (!may_race) return std::nullopt;
  SearchRequest search;
  search.what.dfs.first_bound = 0;
  search.what.dfs.last_bound = 1;
  search.reuse = near.heap;
  search.race_is_bad = true;
  search.max_executions = most_executions;
  switch_at(near.points);
  const lineup::RunResult ran =
      run(test, search, [](const lineup::ObservedHistory&) { return true; });
  const bool is_race = ran.end == lineup::RunResult::End::finding &&
                       ran.finding == FindingKind::race && !findings_.empty();
  return is_race ? std::optional(findings_.front()) : std::nullopt;
}

}  // namespace plumb::session
