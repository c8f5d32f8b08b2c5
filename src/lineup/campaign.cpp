// SPDX-License-Identifier: MIT
#include "lineup/campaign.hpp"

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <thread>
#include <utility>

#include "lineup/campaign_tests.hpp"
#include "lineup/failures.hpp"
#include "lineup/test_crew.hpp"

namespace plumb::lineup {
namespace {

using Verdict = TestProgress::Verdict;
using TestVerdict = CheckResult::TestVerdict;

// Serial histories that are kept between stages, in bytes, about. What is not kept is found again.
constexpr std::size_t kMostKept = std::size_t{64} << 20;

std::size_t bytes_of(const SerialHistories& serial) {
  std::size_t bytes = 0;
  for (const auto* const histories : {&serial.full(), &serial.stuck()})
    for (const SerialHistory& history : *histories) bytes += 64 + 64 * history.size();
  return bytes;
}

// Whatever each history is counted for has to be seen in one piece.
std::vector<Stage> stages_of(const Runner& runner, const CheckSettings& check) {
  const bool counts = check.all_histories || check.by.counts_permutations;
  if (counts || check.preemptions == Runner::kSerial) return {Stage{check.preemptions}};
  return runner.stages();
}

class Campaign {
 public:
  Campaign(Runner& runner, const Object& object, const CampaignSettings& settings,
           const std::function<bool(const CampaignResult&, const Matrix&)>& progress,
           Runners* others)
      : runner_(runner), object_(object), settings_(settings), progress_(progress), others_(others),
        stages_(stages_of(runner, settings.check)), tests_(object, settings),
        failures_(runner, object, settings) {}

  CampaignResult run() {
    result_.random_columns = tests_.random_columns();
    result_.stages = count_stages();  // none is begun
    if (settings_.resume) resume(*settings_.resume);
    result_.stages = count_stages();
    for (result_.stage = 0; more_ && result_.stage < stages_.size(); ++result_.stage) run_stage();
    // Why the first is undecided; or what ended all that come after it.
    tests_.for_each([this](const CampaignTest& test) {
      const bool is_undecided = test.progress.verdict == Verdict::undecided;
      const bool ends_all = test.progress.cut.ends_all() && !result_.cut.ends_all();
      if (!is_undecided || (result_.cut && !ends_all)) return;
      result_.cut = test.progress.cut;
      result_.undecided_test = test.test;
    });
    const bool lacks_some = result_.threads_differ && tests_.may_tell_threads_apart();
    result_.all_in_order = tests_.has_all() && result_.in_order > 0 && !lacks_some &&
                           result_.in_order == tests_.in_order.tests.size();
    result_.stages = count_stages();
    result_.failures = std::move(failures_.all);
    return std::move(result_);
  }

 private:
  // A test that is to be run next.
  struct Turn {
    TestList* list;
    std::uint64_t index;

    CampaignTest& test() const { return list->tests[index]; }
    std::uint64_t number() const { return list->first_number + index; }
  };
  struct Outcome {
    TestMemory memory;
    CheckResult checked;
  };

  std::vector<StageCount> count_stages() const {
    const unsigned cores = std::max(1U, std::thread::hardware_concurrency());
    return tests_.count(stages_, crew_ ? std::min(others_->count(), cores) : 1);
  }

  void run_stage() {
    std::vector<Turn> turns;
    add_turns(tests_.in_order, turns);
    // The others, if it turns out that they may be different.
    if (tests_.may_tell_threads_apart()) {
      run_all(turns);
      if (more_ && result_.threads_differ) tests_.tell_threads_apart();
      add_turns(tests_.in_order, turns);
    }
    add_turns(tests_.at_random, turns);
    add_turns(tests_.given, turns);
    run_all(turns);
    if (!more_) return;
    for (TestList* const list : {&tests_.in_order, &tests_.at_random, &tests_.given})
      result_.*list->begun = list->tests.size();
  }

  void add_turns(TestList& list, std::vector<Turn>& turns) {
    for (std::uint64_t i = 0; i < list.tests.size(); ++i)
      if (list.tests[i].is_mine && is_behind(list.tests[i])) turns.push_back({&list, i});
  }

  bool is_behind(const CampaignTest& test) const {
    return !test.progress.is_over && test.progress.stages <= result_.stage;
  }

  // A short campaign is over before other processes have started; and the process that shows what
  // was found has run once.
  bool needs_others(std::size_t tests) const {
    constexpr std::chrono::milliseconds kShort(100);
    return others_ != nullptr && tests > 1 && has_run_ &&
           std::chrono::steady_clock::now() > begin_ + kShort;
  }

  void run_all(std::vector<Turn>& turns) {
    std::size_t i = 0;
    for (; more_ && i < turns.size() && !needs_others(turns.size() - i); ++i) run_one(turns[i]);
    if (more_ && i < turns.size())
      i += run_by_others({turns.begin() + static_cast<std::ptrdiff_t>(i), turns.end()});
    for (; more_ && i < turns.size(); ++i) run_one(turns[i]);  // there are no others
    turns.clear();
  }

  std::size_t run_by_others(const std::vector<Turn>& turns) {
    if (!crew_) crew_.emplace(*others_);
    std::vector<std::unique_ptr<Outcome>> outcomes(turns.size());
    const auto job = [&](std::size_t i, Runner& runner) {
      auto outcome = std::make_unique<Outcome>();
      outcome->memory = memory_of(turns[i].test());
      outcome->checked = check_stage(runner, turns[i].test(), outcome->memory);
      outcomes[i] = std::move(outcome);
    };
    return crew_->run(turns.size(), job, [&](std::size_t i) {
      if (begin(turns[i])) take(turns[i], std::move(*outcomes[i]), true);
      outcomes[i].reset();
      // A test that is new makes up for the stages before.
      if (more_ && is_behind(turns[i].test())) run_one(turns[i]);
      return more_;
    });
  }

  void run_one(const Turn& turn) {
    do {
      if (!begin(turn)) return;
      Outcome outcome;
      outcome.memory = memory_of(turn.test());
      outcome.checked = check_stage(runner_, turn.test(), outcome.memory);
      has_run_ = true;
      take(turn, std::move(outcome), false);
    } while (more_ && is_behind(turn.test()));
  }

  // False: it is not run.
  bool begin(const Turn& turn) {
    for (TestList* const list : {&tests_.in_order, &tests_.at_random, &tests_.given}) {
      std::uint64_t& begun = result_.*list->begun;
      begun = std::max(begun, list == turn.list ? turn.index + 1 : list->tests.size());
      if (list == turn.list) break;
    }
    if (progress_(result_, turn.test().test)) return true;
    result_.interrupted = true;
    return more_ = false;
  }

  CheckResult check_stage(Runner& runner, const CampaignTest& test, TestMemory& memory) const {
    return lineup::check_stage(runner, object_, test.test, settings_.check, stages_[memory.stages],
                               memory);
  }

  static TestMemory memory_of(CampaignTest& test) {
    TestMemory memory;
    memory.points = test.progress.points;
    memory.executions = test.progress.executions;
    memory.stages = test.progress.stages;
    memory.serial = std::exchange(test.serial, std::nullopt);
    return memory;
  }

  // What the next stage of the test came to.
  void take(const Turn& turn, Outcome outcome, bool is_by_other) {
    CampaignTest& test = turn.test();
    kept_bytes_ -= std::exchange(test.serial_bytes, 0);
    const TestVerdict verdict = outcome.checked.verdict;
    // What is shown of it comes from the first runner.
    if (is_by_other && (verdict == TestVerdict::fail || verdict == TestVerdict::unusable)) {
      outcome.memory = memory_of(test);
      outcome.checked = check_stage(runner_, test, outcome.memory);
    }
    count(turn, outcome.checked, outcome.memory.stages == 0);
    conclude(turn, std::move(outcome));
    if (settings_.save && more_ && !was_cut_) settings_.save([this] { return state(); });
  }

  // Of all stages. What is of the test as a whole is in its progress.
  void count(const Turn& turn, const CheckResult& checked, bool is_first) {
    CampaignCounts& c = result_;
    if (is_first) {
      const auto serial = checked.serial.full().size() + checked.serial.stuck().size();
      c.calls.resize(object_.invocations.size());
      for (const Cell& cell : cells(turn.test().test))
        ++c.calls[static_cast<std::size_t>(cell.invocation)];
      c.serial_histories += serial;
      c.most_serial_histories = std::max<std::uint64_t>(c.most_serial_histories, serial);
    }
    c.threads_differ |= checked.read_thread_id;
    c.guessed |= checked.phase2.guessed;
    const auto& suppressed = checked.phase2.suppressed;
    c.suppressed.insert(suppressed.begin(), suppressed.end());
    c.executions += checked.phase1.executions + checked.phase2.executions;
    c.violating += checked.violating;
    c.sequentializations += checked.sequentializations;
    c.permutations += checked.permutations;
    c.most_points = std::max(c.most_points, checked.phase2.points);
    c.serial_seconds += checked.phase1.seconds;
    c.most_serial_seconds = std::max(c.most_serial_seconds, checked.phase1.seconds);
    const Alarms& alarms = checked.phase2.alarms;
    c.compared += alarms.executions;
    c.racy += alarms.racy;
    c.cyclic += alarms.cyclic;
    c.truncated += alarms.cut;
  }

  // Where the stage leaves the test.
  void conclude(const Turn& turn, Outcome outcome) {
    const Matrix& test = turn.test().test;
    TestProgress& p = turn.test().progress;
    const Stage& stage = stages_[p.stages];
    CheckResult& checked = outcome.checked;
    count_out(p, result_);
    count_stages(p, ~std::uint64_t{0});
    p.seconds.push_back(checked.phase1.seconds + checked.phase2.seconds);
    p.histories = std::max(p.histories, checked.histories);
    p.has_stuck |= checked.stuck_histories > 0;
    p.racy |= checked.phase2.alarms.racy > 0;
    p.cyclic |= checked.phase2.alarms.cyclic > 0;
    p.points = std::move(outcome.memory.points);
    p.executions = outcome.memory.executions;
    switch (checked.verdict) {
      case TestVerdict::pass: pass(p, checked); break;
      case TestVerdict::undecided: leave_undecided(p, checked); break;
      case TestVerdict::unusable:
        result_.unusable = checked.reason;
        result_.unusable_error = checked.error;
        more_ = false;
        break;
      case TestVerdict::fail:
        p.verdict = Verdict::fail;
        p.is_over = true;
        more_ = settings_.keep_going;
        break;
    }
    count_in(p, result_);
    count_stages(p, 1);
    if (!more_ && crew_) others_->stop();
    if (settings_.on_tested) settings_.on_tested(turn.number(), test, checked, p);
    if (checked.verdict == TestVerdict::fail)
      was_cut_ |= !failures_.keep(test, std::move(checked), stage, result_.executions);
    else if (!p.is_over) keep_serial(turn.test(), std::move(checked.serial));
  }

  void count_stages(const TestProgress& p, std::uint64_t n) {
    for (std::size_t i = 0; i < stages_.size(); ++i)
      if (is_through(p, stages_[i], i)) result_.stages[i].done += n;
  }

  bool is_planned(std::size_t stage) const {
    return stage < stages_.size() && stages_[stage].is_planned;
  }

  void pass(TestProgress& p, const CheckResult& checked) {
    ++p.stages;
    p.all_schedules = checked.phase2.all_schedules;
    const bool is_done = p.all_schedules || !is_planned(p.stages);
    if (p.verdict == Verdict::open && is_done) p.verdict = Verdict::pass;
    p.is_over = p.all_schedules || p.stages == stages_.size() ||
                (p.verdict == Verdict::undecided && is_done);
  }

  // Beyond the plan that only means that no more is known of the test.
  void leave_undecided(TestProgress& p, const CheckResult& checked) {
    const bool ends_all = checked.cut.ends_all();
    p.is_over = true;
    more_ = !ends_all && !checked.phase1.hung;
    if (!is_planned(p.stages)) {
      if (ends_all) result_.deeper_cut = checked.cut;
      return;
    }
    p.verdict = Verdict::undecided;
    if (!p.cut) p.cut = checked.cut;
    if (ends_all) {
      const bool is_by_user = checked.cut.by == CutBy::interrupted;
      (is_by_user ? result_.interrupted : result_.ended_by_limit) = true;
      return;
    }
    // With more preemptions it may still fail.
    const bool is_specified = checked.phase1.end == RunResult::End::complete;
    if (is_specified && checked.cut.by != CutBy::executions && is_planned(++p.stages))
      p.is_over = false;
  }

  void keep_serial(CampaignTest& test, SerialHistories serial) {
    const std::size_t bytes = bytes_of(serial);
    if (kept_bytes_ + bytes > kMostKept || settings_.check.by) return;
    kept_bytes_ += bytes;
    test.serial_bytes = bytes;
    test.serial = std::move(serial);
  }

  CampaignState state() const {
    CampaignState state{result_, {}, {}, {}};
    const auto copy = [](const TestList& list, std::vector<TestProgress>& to) {
      for (const CampaignTest& test : list.tests) to.push_back(test.progress);
      while (!to.empty() && to.back().seconds.empty()) to.pop_back();
    };
    copy(tests_.in_order, state.in_order);
    copy(tests_.at_random, state.at_random);
    copy(tests_.given, state.given);
    return state;
  }

  void resume(const CampaignState& state) {
    static_cast<CampaignCounts&>(result_) = state.counts;
    if (result_.threads_differ) tests_.tell_threads_apart();
    resume(tests_.in_order, state.in_order);
    resume(tests_.at_random, state.at_random);
    resume(tests_.given, state.given);
  }

  void resume(TestList& list, const std::vector<TestProgress>& progress) {
    for (std::size_t i = 0; i < std::min(progress.size(), list.tests.size()); ++i) {
      list.tests[i].progress = progress[i];
      if (progress[i].verdict == Verdict::fail) fail_again({&list, i});
    }
  }

  // What failed before is run again, to be shown; everything was counted. It may end otherwise: at
  // a limit, or because the object depends on more than the schedule.
  void fail_again(const Turn& turn) {
    TestProgress& p = turn.test().progress;
    Outcome again;
    TestMemory& memory = again.memory;
    for (const std::uint64_t last = p.stages;; ++memory.stages) {
      again.checked = check_stage(runner_, turn.test(), memory);
      if (again.checked.verdict != TestVerdict::pass || memory.stages == last) break;
      memory.serial = std::move(again.checked.serial);
    }
    if (again.checked.verdict == TestVerdict::fail) {
      std::uint64_t executions = 0;
      was_cut_ |= !failures_.keep(turn.test().test, std::move(again.checked),
                                  stages_[memory.stages], executions);
      return;
    }
    count_out(p, result_);
    p = {};
    p.stages = memory.stages;
    p.seconds.resize(memory.stages);
    count_in(p, result_);
    const bool goes_on = more_;
    conclude(turn, std::move(again));
    more_ = more_ && goes_on;
  }

  Runner& runner_;
  const Object& object_;
  const CampaignSettings& settings_;
  const std::function<bool(const CampaignResult&, const Matrix&)>& progress_;
  Runners* const others_;
  const std::vector<Stage> stages_;
  CampaignTests tests_;
  Failures failures_;
  CampaignResult result_;
  std::size_t kept_bytes_ = 0;
  bool more_ = true, has_run_ = false;
  bool was_cut_ = false;  // in the midst of a test, which is not to be saved
  const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  std::optional<TestCrew> crew_;
};

}  // namespace

CampaignResult run_campaign(
    Runner& runner, const Object& object, const CampaignSettings& settings,
    const std::function<bool(const CampaignResult&, const Matrix&)>& progress, Runners* others) {
  return Campaign(runner, object, settings, progress, others).run();
}

}  // namespace plumb::lineup
