// SPDX-License-Identifier: MIT
// Runs tests of an object in a process of its own, one after the other: what Line-Up needs to know
// of the explorer.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "explore/make.hpp"
#include "lineup/check.hpp"
#include "plumb/test_abi.hpp"
#include "session/cores.hpp"
#include "session/object_settings.hpp"
#include "session/watch.hpp"

namespace plumb::session {

class ObjectRunner final : public lineup::Runner {
 public:
  /// `watch` is open by the time that a test is run. `cores`: for a search that takes long; null:
  /// one. `results`: of another runner.
  ObjectRunner(Watch& watch, const Settings& settings, const ObjectSettings& object_settings,
               Cores* cores, lineup::Results* results = nullptr);

  lineup::RunResult serial(const lineup::Matrix& test, const OnHistory& on_history) override;
  lineup::RunResult concurrent(const lineup::Matrix& test, int preemptions,
                               const OnHistory& on_history) override;
  std::vector<lineup::Stage> stages() const override;
  lineup::RunResult run_stage(const lineup::Matrix& test, const lineup::Stage& stage,
                              lineup::TestMemory& memory, const OnHistory& on_history) override;

  bool calls_may_be_late() const override;
  /// Whether a replay gave this history.
  bool is_same(const std::optional<HistoryRecord>& replayed,
               const lineup::ObservedHistory& history) const;
  void confirm(bool on, bool freely) override {
    using CallPoints = runtime::Options::CallPoints;
    confirms_ = !on ? CallPoints::none : freely ? CallPoints::free : CallPoints::counted;
  }
  void distrust() override;
  void distrust_like(const ObjectRunner& other);

  std::string unseen() const override;

  const lineup::Results& results() const override { return results_; }
  bool read_thread_id() const override { return watch_.board().remarks.read_thread_id; }
  lineup::JudgementLimits limits() const override { return watch_.limits_left(); }
  lineup::Results& results() { return results_; }
  /// Of the last run that ended in one, or that was stopped at a history: not replayed yet.
  const std::vector<Shown>& findings() const { return findings_; }
  /// Whether they are of this test.
  bool found_in(const lineup::Matrix& test) const { return found_in_ == test; }
  /// What an execution is: the object's operations, and who runs in its place in phase 1.
  enum class Runs : std::uint8_t { concurrently, serially, specification };
  /// From now on races are no findings, and a search ends after so many executions; 0: no longer.
  void judge_only(std::uint64_t most_executions) { judges_only_ = most_executions; }
  /// A race of this test, found within so many executions at the points of this history.
  std::optional<Shown> find_race(const lineup::Matrix& test, const lineup::ObservedHistory& near,
                                 std::uint64_t most_executions);
  /// Runs its schedule again, and keeps the steps; of a specification, the last one's. A schedule
  /// is one of the points that there were.
  void switch_at(const std::vector<std::uint64_t>& points);
  void show(const lineup::Matrix& test, Runs runs, Shown& shown);

 private:
  struct SearchRequest {
    explore::Options what;
    Reuse reuse = Reuse::never;
    Runs runs = Runs::concurrently;
    bool race_is_bad = false;
    bool forget = true;  // the histories of the search before
    std::uint64_t max_executions = 0;
  };
  bool goes_deeper() const;
  std::vector<explore::Options> searches(int preemptions) const;
  /// What a search had done when its histories were enough.
  struct Heard {
    bool enough = false;
    std::uint64_t executions = 0;  // until then
    runtime::Compared compared;
  };
  Process::How listen(Heard& heard, const OnHistory& on_history);
  void order(const lineup::Matrix& test, const SearchRequest& search, bool is_first,
             runtime::Command& command) const;
  void judge_end(Watch::Ended ended, lineup::RunResult& ran);
  bool judge_result(lineup::RunResult& ran);
  std::string why_endless() const;
  void note_findings(const lineup::Matrix& test, lineup::RunResult& ran);
  Watch::Ended run_search(const Process::How& how);
  lineup::RunResult run(const lineup::Matrix& test, const SearchRequest& search,
                        const OnHistory& on_history);
  lineup::RunResult run_searches(const lineup::Matrix& test,
                                 const std::vector<explore::Options>& searches,
                                 std::uint64_t& before, const OnHistory& on_history);
  bool add_search(const lineup::Matrix& test, SearchRequest search, const OnHistory& on_history,
                  std::uint64_t& before, lineup::RunResult& all);
  lineup::RunResult run_serially(const lineup::Matrix& test, Runs runs,
                                 const OnHistory& on_history);
  lineup::RunResult run_first(const lineup::Matrix& test, const OnHistory& on_history);
  lineup::ObservedHistory to_history(const HistoryRecord& record);
  lineup::Alarms to_alarms(const runtime::Compared& compared) const;

  Watch& watch_;
  const Settings& settings_;
  Cores* const cores_;
  const bool compare_;        // also what other checkers would have said of what concurrent() runs
  const bool every_history_;  // though it was seen before
  std::vector<std::uint8_t> first_;  // a schedule that is run before the others, if it fits
  lineup::Results own_results_;
  lineup::Results& results_;
  std::map<std::uint64_t, lineup::ResultId> numbers_;  // as the process calls them
  std::vector<Shown> findings_;
  lineup::Matrix found_in_;
  Reuse heap_ = Reuse::never;
  std::uint64_t judges_only_ = 0;                                               // see judge_only()
  runtime::Options::CallPoints confirms_ = runtime::Options::CallPoints::none;  // see confirm()
  std::vector<std::uint64_t> points_;  // plain accesses at which the search switches
  lineup::Matrix specified_;  // what serial() ran last: a test in which calls may have been spread
};

}  // namespace plumb::session
