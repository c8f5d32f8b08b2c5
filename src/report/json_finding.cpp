// SPDX-License-Identifier: MIT
#include <algorithm>

#include "report/json_parts.hpp"

namespace plumb::report {
namespace {

Json stack_json(const CallStack& stack) {
  Json frames = Json::array();
  for (const Frame& frame : stack.frames)
    frames.push_back(
        Json::object({{"function", frame.function}, {"file", frame.file}, {"line", frame.line}}));
  return Json::object({{"thread", stack.thread}, {"stack", std::move(frames)}});
}

Json steps_json(const Interleaving& interleaving) {
  Json steps = Json::array();
  for (const ThreadStep& step : interleaving.steps) {
    Json json = Json::object({{"thread", step.thread}, {"what", step.what}});
    // Of an object: who it is in the history, and how much of that came before.
    if (const auto name = interleaving.names.find(step.thread); name != interleaving.names.end()) {
      json["process"] = name->second;
      json["events"] = step.events;
    }
    if (!step.name.empty()) json["name"] = step.name;
    if (!step.address.empty()) json["address"] = step.address;
    if (!step.order.empty()) json["order"] = step.order;
    if (step.at) {
      json["file"] = step.at->file;
      json["line"] = step.at->line;
      json["function"] = step.at->function;
    }
    steps.push_back(std::move(json));
  }
  return steps;
}

std::string_view name_of(WaitsFor kind) {
  switch (kind) {
    case WaitsFor::lock: return "lock";
    case WaitsFor::shared_lock: return "shared lock";
    case WaitsFor::initialisation: return "initialisation";
    case WaitsFor::notification: return "notification";
    case WaitsFor::waking: return "futex";
    case WaitsFor::post: return "semaphore";
    case WaitsFor::arrival: return "barrier";
    case WaitsFor::end_of_thread: return "thread";
    case WaitsFor::nothing_ever: return "plumb::block";
    case WaitsFor::nothing:
    case WaitsFor::end_of_threads:
    case WaitsFor::turn: break;
  }
  return "other";
}

Json waits_json(const Interleaving& interleaving) {
  Json waits = Json::array();
  for (const Wait& wait : interleaving.waits) {
    Json json = Json::object({{"thread", wait.thread},
                              {"for", name_of(wait.kind)},
                              {"what", wait.what},
                              {"held_by", Json(wait.held_by)}});
    if (const auto name = interleaving.names.find(wait.thread); name != interleaving.names.end())
      json["process"] = name->second;
    if (wait.held_shared) json["held_shared"] = true;
    if (wait.ends >= 0) json["ends"] = wait.ends;
    waits.push_back(std::move(json));
  }
  return waits;
}

Json without_races_json(const WithoutRaces& without) {
  Json json = Json::object({{"verdict", to_string(without.verdict)},
                            {"text", without.words},
                            {"executions", without.executions}});
  if (!without.test.empty()) json["test"] = without.test;
  if (!without.command.empty()) json["replay"] = without.command;
  return json;
}

std::string_view name_of(lineup::Failure failure) {
  switch (failure) {
    case lineup::Failure::nondeterministic: return "nondeterministic";
    case lineup::Failure::unexplained: return "not-linearizable";
    case lineup::Failure::blocked: return "blocked";
    case lineup::Failure::finding: return "finding";
    case lineup::Failure::none: break;
  }
  return "none";
}

Json alarms_json(std::uint64_t executions, std::uint64_t tests, std::uint64_t passed) {
  return Json::object({{"executions", executions}, {"tests", tests}, {"passed", passed}});
}

Json access_json(const Comparison::Access& access) {
  return Json::object({{"operation", access.operation},
                       {"writes", access.writes},
                       {"what", access.what},
                       {"file", access.file},
                       {"line", access.line}});
}

Json cycle_json(const Comparison& comparison) {
  if (comparison.cycle.empty()) return nullptr;
  Json edges = Json::array();
  for (const Comparison::Conflict& conflict : comparison.cycle)
    edges.push_back(Json::object({{"kind", conflict.same_thread ? "thread" : "conflict"},
                                  {"before", access_json(conflict.before)},
                                  {"after", access_json(conflict.after)}}));
  return Json::object(
      {{"test", comparison.test}, {"cycle", std::move(edges)}, {"replay", comparison.replay}});
}

Json options_json(const Replay& replay) {
  Json options = Json::object();
  for (const auto& [name, value] : replay.options) {
    const bool is_repeated = std::ranges::count(replay.options, name, [](const auto& option) {
                               return option.first;
                             }) > 1;
    if (is_repeated) options[name].push_back(value);
    else options[name] = value.empty() ? Json(true) : Json(value);
  }
  return options;
}

}  // namespace

Json program_json(const ProgramSource& program) {
  Json json = Json::object(
      {{"file", program.file}, {"flags", Json(program.flags)}, {"link", Json(program.link)}});
  if (!program.compiler.empty()) json["compiler"] = program.compiler;
  if (!program.target.empty()) json["target"] = program.target;
  if (!program.compile_commands.empty()) json["compile_commands"] = program.compile_commands;
  if (program.call == 0) return json;
  json["arguments"] = Json(program.arguments);
  json["call"] = program.call;
  return json;
}

Json finding_json(const Finding& finding) {
  const Interleaving& shown = finding.interleaving;
  Json choices = Json::array();
  for (const std::uint8_t choice : shown.schedule) choices.push_back(unsigned{choice});
  Json json = Json::object({{"kind", to_string(finding.kind)},
                            {"message", finding.message},
                            {"here", stack_json(finding.here)},
                            {"heap", to_string(shown.heap)},
                            {"replayed", finding.replayed}});
  json["schedule"] = Json::object({{"choices", std::move(choices)},
                                   {"text", shown.schedule_text},
                                   {"replay", shown.replay.command},
                                   {"options", options_json(shown.replay)},
                                   {"steps", steps_json(shown)}});
  if (finding.there.thread >= 0) json["there"] = stack_json(finding.there);
  if (!finding.suppression.empty()) json["suppression"] = finding.suppression;
  if (!finding.signal.empty()) json["signal"] = finding.signal;
  if (!shown.waits.empty()) json["waits"] = waits_json(shown);
  return json;
}

Json failure_json(const FailedTest& failed) {
  Json json = Json::object({{"kind", name_of(failed.kind)},
                            {"test", failed.test},
                            {"found", failed.found},
                            {"tests", failed.times},
                            {"preemptions", std::max(failed.preemptions, -1)}});
  const Refutation* const refutation = failed.evidence.refutation();
  if (failed.without_races) json["without_races"] = without_races_json(*failed.without_races);
  if (failed.kind == lineup::Failure::finding) return json;
  json["why"] = failed.why;
  if (refutation) {
    const Counterexample& c = refutation->counterexample;
    const History& h = *refutation->view.history;
    json["history"] = events_json(h, c.operations);
  }
  if (failed.interleaving) {
    json["replay"] = failed.interleaving->replay.command;
    json["options"] = options_json(failed.interleaving->replay);
    json["schedule"] = failed.interleaving->schedule_text;
    json["steps"] = steps_json(*failed.interleaving);
    if (!failed.interleaving->waits.empty()) json["waits"] = waits_json(*failed.interleaving);
  }
  json["violating_histories"] = failed.violating;
  for (const Finding& race : failed.races) json["races"].push_back(finding_json(race));
  return json;
}

Json comparison_json(const Comparison& comparison, const lineup::CampaignCounts& c) {
  Json serializability = alarms_json(c.cyclic, c.cyclic_tests, c.cyclic_passed);
  serializability["first"] = cycle_json(comparison);
  return Json::object({{"executions", c.compared},
                       {"cut", c.truncated},
                       {"races", alarms_json(c.racy, c.racy_tests, c.racy_passed)},
                       {"conflict_serializability", std::move(serializability)}});
}

}  // namespace plumb::report
