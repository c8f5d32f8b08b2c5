// SPDX-License-Identifier: MIT
#include <algorithm>

#include "report/json_parts.hpp"

namespace plumb::report {
namespace {

constexpr std::size_t kListedPartitions = 1000;

Json partition_json(const PartitionReport& p, const History* history) {
  Json json;
  json["object"] = history ? to_json(history->objects[p.object].name) : Json();
  json["keys"] = to_json(p.keys);
  json["operations"] = p.operations;
  json["verdict"] = to_string(p.verdict);
  json["skipped"] = p.skipped;
  json["engine"] = p.engine;
  if (!p.reason.empty()) json["reason"] = p.reason;
  if (!p.why_engine.empty()) json["why_engine"] = p.why_engine;
  if (!p.declined.empty()) json["declined"] = p.declined;
  json["covered"] = p.covered;
  json["configurations"] = p.configurations;
  json["steps"] = p.steps;
  json["states"] = p.states;
  json["peak_frontier"] = p.peak_frontier;
  json["bytes"] = p.bytes;
  json["seconds"] = rounded(p.seconds);
  return json;
}

void add_limits(Json& json, const Limits& limits) {
  json["timeout_seconds"] = number_or_null(limits.timeout_seconds);
  json["memory_bytes"] = number_or_null(limits.memory_bytes);
}

struct ScopeJson {
  const Report& report;

  Json operator()(const CheckScope& scope) const {
    const History* const history = scope.view.history.get();
    Json json;
    json["read"] = history != nullptr && !(scope.stream && report.interrupted);
    json["interrupted"] = report.interrupted;
    json["operations"] = scope.operations;
    json["completed"] = scope.completed;
    json["pending"] = scope.pending;
    json["stuck"] = scope.stuck();
    json["partitions_total"] = scope.partitions_total;
    json["partitions_decided"] = scope.partitions_decided;
    Json partitions = Json::array();
    std::vector<std::string> engines;
    for (const PartitionReport& p : scope.partitions) {
      if (!p.engine.empty() && std::find(engines.begin(), engines.end(), p.engine) == engines.end())
        engines.push_back(p.engine);
      if (partitions.size() < kListedPartitions) partitions.push_back(partition_json(p, history));
    }
    json["skipped"] = scope.skipped;
    json["partitions"] = std::move(partitions);
    json["engine"] = scope.engine;
    json["engines"] = engines;
    json["split_by_key"] = scope.split_by_key;
    json["notes"] = report.notes;
    if (scope.stream)
      json["stream"] = Json::object({{"events", scope.stream->events},
                                     {"lines", scope.stream->lines},
                                     {"line", number_or_null(scope.stream->line)},
                                     {"most_waiting", scope.stream->most_waiting}});
    json["reading_seconds"] = rounded(scope.reading_seconds);
    json["splitting_seconds"] = rounded(scope.splitting_seconds);
    json["evidence_seconds"] = rounded(scope.evidence_seconds);
    json["total_seconds"] = rounded(scope.total_seconds);
    json["search_bytes"] = scope.search_bytes;
    add_limits(json, scope.limits);
    return json;
  }

  Json operator()(const ModelScope& scope) const {
    Json json;
    json["interrupted"] = report.interrupted;
    json["states"] = scope.found.states;
    json["implementation_states"] = scope.found.implementation;
    json["transitions"] = scope.found.transitions;
    json["depth"] = scope.found.depth;
    json["waiting"] = scope.found.waiting;
    json["sets"] = scope.found.sets;
    json["largest_set"] = scope.found.largest_set;
    json["bounds"] = Json::object({{"processes", scope.processes}});
    for (const auto& [name, value] : scope.constants) json["bounds"][name] = value;
    json["engine"] = scope.engine;
    if (scope.seed) json["seed"] = *scope.seed;
    for (const auto& [name, used] : scope.reductions) json["reductions"][name] = used;
    if (scope.asked_savings) {
      json["without"] = Json::object();
      for (const refine::Saving& s : scope.savings)
        json["without"][s.without] = Json::object({{"states", s.states},
                                                   {"transitions", s.transitions},
                                                   {"seconds", rounded(s.seconds)},
                                                   {"complete", s.complete}});
    }
    json["native"] = scope.found.native;
    json["compile_seconds"] = rounded(scope.found.compile_seconds);
    json["notes"] = report.notes;
    json["total_seconds"] = rounded(scope.total_seconds);
    add_limits(json, scope.limits);
    return json;
  }

  Json operator()(const ExploreScope& scope) const {
    Json json;
    json["executions"] = scope.executions;
    json["points_added"] = scope.points_added;
    json["stages"] = Json::array();
    for (const ExploreScope::Stage& stage : scope.stages)
      json["stages"].push_back(Json::object({{"schedules", stage.schedules},
                                             {"heap", to_string(stage.heap)},
                                             {"executions", stage.executions},
                                             {"steps", stage.steps},
                                             {"pruned", stage.pruned},
                                             {"complete", stage.complete}}));
    if (!report.notes.empty()) json["notes"] = report.notes;
    json["cpu_seconds"] = scope.cpu_seconds;
    if (scope.histories > 0) json["histories"] = scope.histories;
    return json;
  }

  static Json stages_json(const CampaignScope& scope) {
    Json json = Json::array();
    for (const lineup::StageCount& count : scope.stages) {
      const int bound = count.stage.preemptions;
      Json stage = Json::object({{"preemptions", Json()},
                                 {"planned", count.stage.is_planned},
                                 {"done", count.done},
                                 {"tests", count.all},
                                 {"rest_seconds", Json()}});
      if (bound >= 0) stage["preemptions"] = bound;
      if (count.rest_seconds) stage["rest_seconds"] = rounded(*count.rest_seconds);
      json.push_back(std::move(stage));
    }
    return json;
  }

  static Json resemblance_json(const lineup::Resemblance& like) {
    Json json = Json::object({{"specification", like.specification},
                              {"words", like.words},
                              {"methods", Json::object()},
                              {"not_counted", like.not_counted},
                              {"waits", like.waits},
                              {"sequences", like.sequences},
                              {"all_up_to", like.whole_length},
                              {"longest", like.longest},
                              {"spec_option", like.spec_option},
                              {"difference", Json()}});
    if (like.initial) json["initial"] = to_json(*like.initial);
    for (const auto& [name, method] : like.methods) json["methods"][name] = method;
    if (like.difference)
      json["difference"] = Json::object(
          {{"calls", like.difference->calls}, {"expected", like.difference->expected}});
    return json;
  }

  Json operator()(const CampaignScope& scope) const {
    const lineup::CampaignCounts& c = scope.counts;
    Json json;
    json["executions"] = c.executions;
    json["histories"] = c.histories;
    json["violating_histories"] = c.violating;
    json["sequentializations"] = c.sequentializations;
    json["permutations"] = c.permutations;
    json["points_added"] = c.most_points;
    json["stages"] = Json::array();
    json["tests"] = Json::object({{"in_order", c.in_order},
                                  {"all_in_order", scope.all_in_order},
                                  {"threads_differ", c.threads_differ},
                                  {"random", c.at_random},
                                  {"given", c.given},
                                  {"observed_by", scope.observed_by},
                                  {"never_called", scope.never_called},
                                  {"begun", c.begun},
                                  {"passed", c.passed},
                                  {"failed", c.failed},
                                  {"undecided", c.undecided},
                                  {"under_all_schedules", c.all_schedules},
                                  {"with_stuck_histories", c.with_stuck},
                                  {"bounds", stages_json(scope)},
                                  {"seed", scope.seed},
                                  {"preemptions", scope.preemptions},
                                  {"serial_histories", c.serial_histories},
                                  {"most_serial_histories", c.most_serial_histories},
                                  {"serial_seconds", c.serial_seconds},
                                  {"most_serial_seconds", c.most_serial_seconds},
                                  {"pass_seconds", c.pass.seconds},
                                  {"fail_seconds", c.fail.seconds}});
    if (scope.resemblance) json["serially"] = resemblance_json(*scope.resemblance);
    if (!report.notes.empty()) json["notes"] = report.notes;
    return json;
  }
};

}  // namespace

Json scope_json(const Report& report) {
  Json json = std::visit(ScopeJson{report}, report.scope);
  for (const UnseenCode& code : report.unseen)
    json["unseen"].push_back(Json::object({{"file", code.file}, {"functions", code.functions}}));
  return json;
}

}  // namespace plumb::report
