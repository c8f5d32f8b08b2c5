// SPDX-License-Identifier: MIT
// What linearizability says of a class with a data race: its tests are judged once more, while
// races are no findings. First the test that races, then the others in their order; for so long
// only that the report does not wait for it.
#include "base/shell.hpp"
#include "base/text.hpp"
#include "session/failed_tests.hpp"
#include "session/interrupts.hpp"

namespace plumb::session {

using lineup::CampaignResult;
using lineup::CheckResult;

namespace {

constexpr std::uint64_t kMostExecutions = 20'000;

std::string explained_words(const lineup::BySpecification& by) {
  return by ? " is explained by " + by.specification->name() : " has a serial witness";
}

}  // namespace

// A replay is of one execution, and observations are of one test.
bool FailedTests::may_look_further() const {
  return settings_.replay.empty() && settings_.observations.empty() && !settings_.ignore.race;
}

report::WithoutRaces FailedTests::without_races(const lineup::TestFailure& failed) {
  runner_.judge_only(kMostExecutions);
  report::WithoutRaces without = judged_without_races(failed);
  runner_.judge_only(0);
  return without;
}

report::WithoutRaces FailedTests::judged_without_races(const lineup::TestFailure& failed) {
  const int preemptions =
      settings_.preemptions_given ? settings_.preemptions : lineup::Runner::kUsual;
  const CheckResult same = check(runner_, object_, failed.test, with_preemptions(preemptions));
  report::WithoutRaces without;
  without.executions = same.phase2.executions;
  switch (same.verdict) {
    case CheckResult::TestVerdict::pass: break;
    case CheckResult::TestVerdict::fail: add_violation(failed.test, same, without); return without;
    case CheckResult::TestVerdict::undecided:
    case CheckResult::TestVerdict::unusable:
      without.words = "this test is not decided: " +
                      (same.reason.empty() ? reason_text(same.cut) : same.reason);
      return without;
  }
  without.verdict = Verdict::holds;
  without.words = "every observed history of this test" + explained_words(same.by);
  const bool has_others = object_settings_.campaign.given.empty() && !settings_.keep_going;
  if (has_others) add_other_tests(preemptions, without);
  return without;
}

void FailedTests::add_other_tests(int preemptions, report::WithoutRaces& without) {
  lineup::CampaignSettings campaign = object_settings_.campaign;
  campaign.check = with_preemptions(preemptions);
  campaign.random = 0;
  const CampaignResult others = lineup::run_campaign(
      runner_, object_, campaign, [](const CampaignResult& so_far, const lineup::Matrix&) {
        return so_far.executions < kMostExecutions && !CatchInterrupt::was_interrupted();
      });
  without.executions += others.executions;
  if (!others.failures.empty())
    return add_violation(others.failures[0].test, others.failures[0].result, without);
  const std::uint64_t tests = others.stages.empty() ? 0 : others.stages.front().done;
  if (tests > 1)
    without.words = "every history observed in the first " + text::count_words(tests, "test") +
                    explained_words(campaign.check.by);
}

void FailedTests::add_violation(const lineup::Matrix& test, const CheckResult& result,
                                report::WithoutRaces& without) const {
  const std::string words = to_text(test, object_);
  without.verdict = Verdict::violation;
  without.words = headline(object_, result);
  // "Counter is not linearizable": the report is about the Counter.
  const std::string subject = object_.name + " is ";
  if (without.words.starts_with(subject)) without.words.erase(0, subject.size());
  without.test = words;
  const std::string bound =
      settings_.preemptions_given ? " --preemptions " + std::to_string(settings_.preemptions) : "";
  without.command =
      replay_("--test " + shell_word(words) + " " + criterion_words(settings_, object_settings_) +
              "--ignore race" + bound + circumstances(settings_))
          .command;
}

}  // namespace plumb::session
