// SPDX-License-Identifier: MIT
#include "session/object_scope.hpp"

#include <map>
#include <nlohmann/json.hpp>
#include <vector>

#include "base/text.hpp"
#include "session/narrate.hpp"

namespace plumb::session {

using lineup::CampaignResult;
using text::count_words;

std::string preemptions_words(int n) {
  return n < 0 ? "any number of preemptions"
               : text::count_words(static_cast<std::uint64_t>(n), "preemption");
}

namespace {

// Those of a test that was not searched whole.
std::string schedules_words(const ObjectSettings& own, const Settings& settings) {
  if (own.serial) return " serially";
  switch (settings.strategy) {
    case SearchBy::pct:
    case SearchBy::pos:
    case SearchBy::random: return " under schedules that were drawn";
    default: return " with at most " + preemptions_words(settings.preemptions);
  }
}

// Methods that tests are made of, and that none has: they are for threads that no test has, or
// there are too many for the tests that there were.
std::vector<std::string> never_called(const lineup::Object& object, const ObjectSettings& own,
                                      const CampaignResult& c) {
  std::vector<std::string> methods;
  if (c.in_order + c.at_random == 0 || c.calls.empty()) return methods;
  std::map<std::string, std::uint64_t> calls;
  for (const lineup::Column& unit : own.campaign.units) {
    for (const int i : unit) {
      const auto invocation = static_cast<std::size_t>(i);
      calls[object.invocations[invocation].method] += c.calls[invocation];
    }
  }
  for (const auto& [method, times] : calls) {
    if (times == 0) methods.push_back(method);
  }
  return methods;
}

}  // namespace

std::string scope_text(const lineup::Object& object, const ObjectSettings& own,
                       const Settings& settings, const CampaignResult& c) {
  std::string text;
  const auto line = [&text](const std::string& words) { text += "  " + words + "\n"; };
  if (c.in_order > 0) {
    const bool is_only = c.all_in_order && c.in_order == 1;
    line((is_only          ? "the only test"
          : c.all_in_order ? "all " + text::count_words(c.in_order, "test")
                           : "the first " + text::count_words(c.in_order, "test")) +
         " of up to " +
         text::count_words(static_cast<std::uint64_t>(own.campaign.operations), "operation") +
         " on up to " + std::to_string(own.campaign.threads) + " threads");
    if (object.data_independent) line("(of those that differ in their values only, one)");
    if (c.threads_differ) line("(threads in every order: an operation asks which one it is on)");
  }
  if (c.at_random > 0) {
    line(text::count_words(c.at_random, "random test") + " of " +
         std::to_string(own.campaign.rows) + " x " + std::to_string(c.random_columns) + " (seed " +
         std::to_string(own.campaign.seed) + ")");
  }
  if (c.given > 0) line(text::count_words(c.given, "test") + " as given");
  if (own.campaign.shards > 1) {
    line("of these " + text::count_words(c.passed + c.failed + c.undecided, "test") +
         " for shard " + std::to_string(own.campaign.shard + 1) + "/" +
         std::to_string(own.campaign.shards));
  }
  if (const std::vector<std::string> methods = never_called(object, own, c); !methods.empty())
    line("no test calls " + text::list_words(methods, "or"));
  if (c.passed > 0) {
    const std::uint64_t bounded = c.passed - c.all_schedules;
    std::string passed = text::count_words(c.passed) + " passed";
    if (c.all_schedules > 0)
      passed += ", " + text::count_words(c.all_schedules) + " under every schedule";
    if (bounded > 0) passed += ", " + text::count_words(bounded) + schedules_words(own, settings);
    line(passed);
  }
  if (c.guessed) line("(" + std::string(kGuessedText) + ")");
  if (c.permutations > 0)
    line(text::count_words(c.sequentializations, "sequentialization") + " of " +
         text::count_words(c.histories) + " histories, " +
         text::count_words(c.permutations, "permutation"));
  if (c.failed > 0 && own.campaign.keep_going) line(text::count_words(c.failed) + " failed");
  if (c.with_stuck > 0)
    line(text::count_words(c.with_stuck) + " had operations that wait for ever" +
         (own.campaign.check.classic || c.failed > 0 ? "" : ", with reason"));
  return text;
}

nlohmann::json scope_json(const lineup::Object& object, const ObjectSettings& own,
                          const Settings& settings, const CampaignResult& c) {
  nlohmann::json scope = {{"executions", c.executions},
                          {"histories", c.histories},
                          {"violating_histories", c.violating},
                          {"sequentializations", c.sequentializations},
                          {"permutations", c.permutations},
                          {"points_added", c.most_points},
                          {"stages", nlohmann::json::array()},
                          {"tests",
                           {{"in_order", c.in_order},
                            {"all_in_order", c.all_in_order},
                            {"threads_differ", c.threads_differ},
                            {"random", c.at_random},
                            {"given", c.given},
                            {"never_called", never_called(object, own, c)},
                            {"passed", c.passed},
                            {"failed", c.failed},
                            {"undecided", c.undecided},
                            {"under_all_schedules", c.all_schedules},
                            {"with_stuck_histories", c.with_stuck},
                            {"seed", own.campaign.seed},
                            {"preemptions", settings.preemptions},
                            {"serial_histories", c.serial_histories},
                            {"most_serial_histories", c.most_serial_histories},
                            {"serial_seconds", c.serial_seconds},
                            {"most_serial_seconds", c.most_serial_seconds},
                            {"pass_seconds", c.pass.seconds},
                            {"fail_seconds", c.fail.seconds}}}};
  if (c.guessed) scope["notes"] = nlohmann::json::array({kGuessedText});
  return scope;
}

}  // namespace plumb::session
