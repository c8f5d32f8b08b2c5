// SPDX-License-Identifier: MIT
#include "session/object_scope.hpp"

#include <map>
#include <string>
#include <vector>

#include "check/property/quasi/relaxation.hpp"
#include "session/findings.hpp"

namespace plumb::session {

using lineup::CampaignResult;
using Schedules = report::CampaignScope::Schedules;

namespace {

Schedules schedules_of(const Settings& settings) {
  if (settings.serial) return Schedules::serial;
  switch (settings.strategy) {
    case SearchBy::pct:
    case SearchBy::pos:
    case SearchBy::random: return Schedules::random;
    default: return Schedules::bounded;
  }
}

// Methods that tests are made of, and that none has: they are for threads that no test has, or
// there are too many for the tests that there were.
std::vector<std::string> never_called(const lineup::Object& object,
                                      const ObjectSettings& object_settings,
                                      const CampaignResult& c) {
  std::vector<std::string> methods;
  if (c.in_order + c.at_random == 0 || c.calls.empty()) return methods;
  std::map<std::string, std::uint64_t> calls;
  for (const lineup::Column& unit : object_settings.campaign.units) {
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

report::CampaignScope campaign_scope(const lineup::Object& object,
                                     const ObjectSettings& object_settings,
                                     const Settings& settings, const CampaignResult& result) {
  const lineup::CampaignSettings& asked = object_settings.campaign;
  report::CampaignScope scope;
  scope.object = object.name;
  if (asked.check.by.is_relaxed()) scope.relaxed = quasi::words(asked.check.by.quasi);
  scope.counts = result;
  scope.stages = result.stages;
  if (result.deeper_cut) scope.deeper_cut = reason_text(result.deeper_cut);
  scope.all_in_order = result.all_in_order;
  scope.random_columns = result.random_columns;
  scope.operations = asked.operations;
  scope.threads = asked.threads;
  scope.rows = asked.rows;
  scope.all_sizes = asked.all_sizes;
  scope.seed = asked.seed;
  scope.shard = asked.shard;
  scope.shards = asked.shards;
  scope.one_per_class = object.data_independent;
  scope.never_called = never_called(object, object_settings, result);
  scope.schedules = schedules_of(settings);
  scope.preemptions = settings.preemptions;
  scope.keep_going = asked.keep_going;
  scope.classic = asked.check.classic;
  scope.is_replay = !settings.replay.empty();
  if (result.undecided > 0) scope.undecided_test = to_text(result.undecided_test, object);
  scope.undecided_reason = reason_text(result.cut);
  return scope;
}

}  // namespace plumb::session
