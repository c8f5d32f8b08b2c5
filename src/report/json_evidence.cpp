// SPDX-License-Identifier: MIT
#include <algorithm>
#include <numeric>

#include "base/json_reader.hpp"
#include "report/json_parts.hpp"

namespace plumb::report {
namespace {

constexpr std::size_t kListedDistances = 1000;

// What is no JSON is a text.
Json json_or_text(std::string_view text) {
  std::optional<Json> parsed = parse_json(text);
  return parsed ? *std::move(parsed) : Json(text);
}

Json call_with_result(const History& h, OperationId op) {
  Json json = call_json(h, op);
  const Label& label = h.labels[h.label[op]];
  if (label.known) json["result"] = to_json(label.result);
  json["line"] = number_or_null(h.line[op]);
  return json;
}

bool is_only_called(const Counterexample& c, OperationId op) {
  return std::binary_search(c.only_called.begin(), c.only_called.end(), op);
}

Json operations_json(const History& h, const Counterexample& c, const std::vector<OperationId>& ops,
                     std::uint32_t cut) {
  Json out = Json::array();
  for (const OperationId op : ops) {
    Json o = call_json(h, op);
    if (h.returned(op)) o["result"] = to_json(h.labels[h.label[op]].result);
    o["needed"] = is_only_called(c, op) ? "call" : "outcome";
    o["pending"] = !h.returned(op);
    o["open"] = !h.returned(op) || h.ret[op] > cut;
    o["call_line"] = number_or_null(h.line[op]);
    o["return_line"] = h.returned(op) ? number_or_null(h.return_line[op]) : Json();
    out.push_back(std::move(o));
  }
  return out;
}

Json left_state_json(const History& h, const Counterexample& c) {
  if (c.left_state.empty()) return nullptr;
  std::uint32_t line = 0;
  if (c.left_position < h.events.size()) {
    const Event e = h.events[c.left_position];
    line = e.is_return() ? h.return_line[e.operation()] : h.line[e.operation()];
  }
  return Json::object(
      {{"state", c.left_state}, {"line", number_or_null(line)}, {"open", c.left_open}});
}

Json refutation_json(const Refutation& refutation) {
  const History& h = *refutation.view.history;
  const Counterexample& c = refutation.counterexample;
  const std::uint32_t cut = c.culprit == kNone ? kNone : h.ret[c.culprit];
  Json json;
  json["kind"] = "counterexample";
  json["history"] = events_json(h, c.operations);
  json["operations"] = operations_json(h, c, c.operations, cut);
  const auto culprit = std::find(c.operations.begin(), c.operations.end(), c.culprit);
  json["culprit"] = culprit == c.operations.end() ? Json() : Json(culprit - c.operations.begin());
  json["why"] = c.why;
  json["focus"] = operations_json(h, c, c.focus, cut);
  json["possible_results"] = to_json(c.possible_results);
  json["left_state"] = left_state_json(h, c);
  if (c.stale) json["stale"] = c.stale == 2 ? Json(2) : Json(">2");
  json["minimal"] = c.minimal;
  json["self_contained"] = c.self_contained;
  json["confirmed_by"] = text_or_null(c.confirmed_by);
  return json;
}

Json distance_json(const QuasiReport::Distance& d, const History& h) {
  Json json;
  json["operation"] = d.operation == kNone ? Json() : call_with_result(h, d.operation);
  json["distance"] = d.distance;
  if (!d.element) return json;
  json["element"] = to_json(*d.element);
  json["ahead"] = to_json(d.ahead);
  json["overtaken_by"] = Json::array();
  for (const OperationId op : d.overtaken_by)
    json["overtaken_by"].push_back(call_with_result(h, op));
  return json;
}

Json factor_json(std::int64_t factor) { return factor < 0 ? Json() : Json(factor); }

Json quasi_json(const QuasiReport& q, const History* history) {
  Json json;
  json["relaxation"] = to_string(q.asked.relaxation);
  json["sets"] = Json::array();
  for (std::size_t i = 0; i < q.asked.sets.size(); ++i) {
    const QuasiSet& set = q.asked.sets[i];
    Json one;
    one["operations"] = set.operations;
    one["factor"] = set.factor ? Json(*set.factor) : Json();
    if (i < q.least.size() && q.least[i]) one["least"] = factor_json(*q.least[i]);
    json["sets"].push_back(std::move(one));
  }
  if (q.needed) json["needed"] = factor_json(*q.needed);
  json["displaced"] = q.distances.size();
  json["distances"] = Json::array();
  for (const QuasiReport::Distance& d : q.distances)
    if (json["distances"].size() < kListedDistances && history)
      json["distances"].push_back(distance_json(d, *history));
  return json;
}

void add_run(Json& json, const ModelRun& run) {
  json["trace"] = to_json(run.trace);
  json["waiting"] = to_json(run.waiting);
}

struct EvidenceJson {
  Json json;
  const History* history = nullptr;

  void operator()(std::monostate) { json["kind"] = "none"; }
  void operator()(const Interleaving&) { json["kind"] = "none"; }
  void operator()(const ReadsFrom& found) {
    json["kind"] = "reads_from";
    json["verified"] = true;
    json["reads"] = found.reads;
  }
  void operator()(const Witness& witness) {
    history = witness.view.history.get();
    json["kind"] = "witness";
    json["verified"] = true;
    json["operations"] = witness.order.size();
    if (history && history->stuck) json["blocking_witnesses"] = witness.blocking;
    json["file"] = text_or_null(witness.file);
  }
  void operator()(const Refutation& refutation) {
    history = refutation.view.history.get();
    json = refutation_json(refutation);
    if (refutation.run) add_run(json, *refutation.run);
    if (!refutation.differs.empty()) json["differs"] = refutation.differs;
  }
  void operator()(const SimulatedRun& simulated) {
    const History& h = *simulated.view.history;
    std::vector<OperationId> all(h.size());
    std::iota(all.begin(), all.end(), OperationId{0});
    json["kind"] = "run";
    json["history"] = events_json(h, all);
    add_run(json, simulated.run);
  }
  void operator()(const Lasso& lasso) {
    json["kind"] = "lasso";
    json["why"] = lasso.why;
    json["trace"] = to_json(lasso.run.trace);
    json["loop"] = to_json(lasso.loop);
    json["waiting"] = to_json(lasso.run.waiting);
  }
};

}  // namespace

Json to_json(Value value) {
  switch (value.kind()) {
    case Value::Kind::nil: return nullptr;
    case Value::Kind::boolean: return value.as_boolean();
    case Value::Kind::integer: return value.as_integer();
    case Value::Kind::real: return value.as_real();
    case Value::Kind::string: return value.as_text();
    case Value::Kind::list: return to_json(value.as_list());
    case Value::Kind::opaque: break;
  }
  return json_or_text(value.as_text());
}

Json to_json(std::span<const Value> values) {
  Json items = Json::array();
  for (const Value v : values) items.push_back(to_json(v));
  return items;
}

Json to_json(const std::vector<refine::TraceStep>& trace) {
  Json steps = Json::array();
  for (const refine::TraceStep& step : trace) {
    Json changes = Json::object();
    for (const auto& change : step.changes)
      changes[change.variable] =
          Json::array({change.before ? to_json(*change.before) : Json(), to_json(change.after)});
    steps.push_back(Json::object({{"process", step.process},
                                  {"step", step.what},
                                  {"line", number_or_null(step.line)},
                                  {"changes", std::move(changes)}}));
    if (!step.effect.empty()) steps.back()["effect"] = step.effect;
  }
  return steps;
}

Json call_json(const History& h, OperationId op) {
  Json json;
  json["process"] = to_json(h.processes[h.process[op]]);
  const Value object = h.objects[h.object[op]].name;
  if (!object.is_nil()) json["object"] = to_json(object);
  json["op"] = h.call_of(op).method;
  json["args"] = to_json(h.call_of(op).args);
  return json;
}

Json events_json(const History& h, const std::vector<OperationId>& operations) {
  std::vector<std::pair<std::uint32_t, Json>> ends;
  for (const OperationId op : operations) {
    Json start = Json::object({{"type", "call"}}), call = call_json(h, op);
    for (auto& [name, value] : *call.members()) start[name] = std::move(value);
    start["line"] = number_or_null(h.line[op]);
    ends.emplace_back(h.call[op], std::move(start));
    if (!h.returned(op)) continue;
    ends.emplace_back(h.ret[op], Json::object({{"type", "return"},
                                               {"process", to_json(h.processes[h.process[op]])},
                                               {"result", to_json(h.labels[h.label[op]].result)},
                                               {"line", number_or_null(h.return_line[op])}}));
  }
  std::sort(ends.begin(), ends.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  Json events = Json::array();
  for (auto& [position, event] : ends) events.push_back(std::move(event));
  // What is pending forever did not take effect, which may contradict what did return.
  const auto is_judged = [&](OperationId op) { return h.fate[op] == Fate::pending; };
  if (!h.stuck || std::ranges::none_of(operations, is_judged)) return events;
  for (const OperationId op : operations)
    if (h.fate[op] == Fate::crashed)
      events.push_back(
          Json::object({{"type", "crash"}, {"process", to_json(h.processes[h.process[op]])}}));
  events.push_back(Json::object({{"type", "stuck"}}));
  return events;
}

Json evidence_json(const Evidence& evidence) {
  EvidenceJson made;
  std::visit(made, evidence.what);
  if (evidence.quasi) made.json["quasi"] = quasi_json(*evidence.quasi, made.history);
  return std::move(made.json);
}

}  // namespace plumb::report
