// SPDX-License-Identifier: MIT
#include "report/json.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

#include "base/json_text.hpp"
#include "report/model_report.hpp"
#include "report/version.hpp"

namespace plumb::report {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kListedPartitions = 1000, kListedDistances = 1000;

Json to_json(Value value) {
  switch (value.kind()) {
    case Value::Kind::nil: return nullptr;
    case Value::Kind::boolean: return value.as_boolean();
    case Value::Kind::integer: return value.as_integer();
    case Value::Kind::real: return value.as_real();
    case Value::Kind::string: return std::string(value.as_text());
    case Value::Kind::list: {
      Json items = Json::array();
      for (const Value item : value.as_list()) items.push_back(to_json(item));
      return items;
    }
    case Value::Kind::opaque: break;
  }
  Json parsed = Json::parse(value.as_text(), nullptr, false);
  return parsed.is_discarded() ? Json(std::string(value.as_text())) : parsed;
}

Json to_json(std::span<const Value> values) {
  Json items = Json::array();
  for (const Value v : values) items.push_back(to_json(v));
  return items;
}

Json line_or_null(std::uint32_t line) { return line ? Json(line) : Json(nullptr); }

// Numbers as numbers, all else as text.
Json parsed_or_text(const std::string& text) {
  if (text.empty()) return nullptr;
  Json parsed = Json::parse(text, nullptr, false);
  return parsed.is_discarded() ? Json(text) : parsed;
}

Json to_json(const std::vector<refine::TraceStep>& trace) {
  Json steps = Json::array();
  for (const refine::TraceStep& step : trace) {
    Json changes = Json::object();
    for (const auto& change : step.changes)
      changes[change.variable] = {parsed_or_text(change.before), parsed_or_text(change.after)};
    steps.push_back({{"process", step.process},
                     {"step", step.what},
                     {"line", line_or_null(step.line)},
                     {"changes", std::move(changes)}});
    if (!step.effect.empty()) steps.back()["effect"] = step.effect;
  }
  return steps;
}

Json limit_or_null(double limit) { return limit > 0 ? Json(limit) : Json(nullptr); }
// Microseconds are enough, and shorter.
double rounded(double seconds) { return std::round(seconds * 1e6) / 1e6; }

std::string line_of(const Json& json) { return dumped(json) + "\n"; }

Json frame(std::string_view command = "check") {
  return {{"report", 1}, {"tool", "plumb"}, {"version", version()}, {"command", command}};
}

class JsonMaker {
 public:
  explicit JsonMaker(const Subject& subject)
      : subject_(subject), report_(*subject.report), history_(subject.history) {}

  Json make() const {
    Json json = frame();
    json["file"] = subject_.file;
    json["property"] = report_.property;
    json["specification"] =
        subject_.specification.empty() ? Json(nullptr) : Json(subject_.specification);
    json["verdict"] = to_string(report_.verdict);
    if (!report_.reason.empty()) json["reason"] = report_.reason;
    json["scope"] = scope();
    json["evidence"] = evidence();
    json["findings"] = Json::array();
    json["seconds"] = rounded(report_.seconds);
    json["peak_bytes"] = subject_.peak_bytes;
    return json;
  }

  Json evidence_alone() const { return evidence(); }

 private:
  Json scope() const {
    Json scope;
    scope["read"] = history_ != nullptr && !(report_.stream && report_.interrupted);
    scope["interrupted"] = report_.interrupted;
    scope["operations"] = report_.operations;
    scope["completed"] = report_.completed;
    scope["pending"] = report_.pending;
    scope["stuck"] = history_ && history_->stuck;
    scope["partitions_total"] = subject_.partitions;
    scope["partitions_decided"] = subject_.partitions_decided;
    Json partitions = Json::array(), engines = Json::array();
    for (const PartitionReport& p : report_.partitions) {
      if (!p.engine.empty() && std::find(engines.begin(), engines.end(), p.engine) == engines.end())
        engines.push_back(p.engine);
      if (partitions.size() < kListedPartitions) partitions.push_back(partition(p));
    }
    scope["skipped"] = report_.skipped_partitions;
    scope["partitions"] = std::move(partitions);
    scope["engine"] = subject_.options.engine;
    scope["engines"] = std::move(engines);
    scope["split_by_key"] =
        subject_.options.partition && report_.property != "sequential" && !subject_.quasi;
    scope["notes"] = report_.scope_notes;
    if (report_.stream)
      scope["stream"] = {
          {"events", report_.stream->events},
          {"lines", report_.stream->lines},
          {"line", report_.stream->line ? Json(report_.stream->line) : Json(nullptr)},
          {"most_waiting", report_.stream->most_waiting}};
    scope["reading_seconds"] = rounded(subject_.reading_seconds);
    scope["splitting_seconds"] = rounded(report_.split_seconds);
    scope["evidence_seconds"] = rounded(report_.evidence_seconds);
    scope["total_seconds"] = rounded(subject_.total_seconds);
    scope["search_bytes"] = report_.peak_bytes;
    scope["timeout_seconds"] = limit_or_null(subject_.options.timeout_seconds);
    scope["memory_bytes"] =
        subject_.options.memory_bytes ? Json(subject_.options.memory_bytes) : Json(nullptr);
    return scope;
  }

  Json partition(const PartitionReport& p) const {
    Json json;
    json["object"] = history_ ? to_json(history_->objects[p.object].name) : Json(nullptr);
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

  Json evidence() const {
    Json json;
    if (report_.verdict == Verdict::holds && report_.stream) {
      json["kind"] = "none";
    } else if (report_.verdict == Verdict::holds && judges_reads()) {
      json["kind"] = "reads_from";
      json["verified"] = true;
      json["reads"] = report_.reads_from.size();
    } else if (report_.verdict == Verdict::holds) {
      json["kind"] = "witness";
      json["verified"] = true;
      json["operations"] = report_.witness.size();
      if (history_ && history_->stuck)
        json["blocking_witnesses"] = report_.blocking_witnesses.size();
      json["file"] = subject_.witness_file.empty() ? Json(nullptr) : Json(subject_.witness_file);
    } else if (report_.counterexample && history_) {
      json = counterexample(*report_.counterexample);
    } else {
      json["kind"] = "none";
    }
    if (subject_.quasi) json["quasi"] = quasi(*subject_.quasi);
    return json;
  }

  Json quasi(const QuasiReport& q) const {
    Json json;
    json["relaxation"] = q.asked.relaxation;
    json["sets"] = Json::array();
    for (std::size_t i = 0; i < q.asked.sets.size(); ++i) {
      const QuasiSet& set = q.asked.sets[i];
      Json one = {{"operations", set.operations},
                  {"factor", set.factor ? Json(*set.factor) : Json(nullptr)}};
      if (i < q.least.size() && q.least[i])
        one["least"] = *q.least[i] < 0 ? Json(nullptr) : Json(*q.least[i]);
      json["sets"].push_back(std::move(one));
    }
    if (q.needed) json["needed"] = *q.needed < 0 ? Json(nullptr) : Json(*q.needed);
    json["displaced"] = q.distances.size();
    json["distances"] = Json::array();
    for (const QuasiReport::Distance& d : q.distances)
      if (json["distances"].size() < kListedDistances && history_)
        json["distances"].push_back(distance(d));
    return json;
  }
  Json distance(const QuasiReport::Distance& d) const {
    Json json;
    json["operation"] = d.operation == kNone ? Json(nullptr) : with_result(d.operation);
    json["distance"] = d.distance;
    if (!d.element) return json;
    json["element"] = to_json(*d.element);
    json["ahead"] = to_json(d.ahead);
    json["overtaken_by"] = Json::array();
    for (const OperationId op : d.overtaken_by) json["overtaken_by"].push_back(with_result(op));
    return json;
  }
  Json with_result(OperationId op) const {
    Json json = call(op);
    const Label& label = history_->labels[history_->label[op]];
    if (label.known) json["result"] = to_json(label.result);
    json["line"] = line_or_null(history_->line[op]);
    return json;
  }

  bool judges_reads() const { return report_.property == "regular" || report_.property == "safe"; }

  Json counterexample(const Counterexample& c) const {
    const History& h = *history_;
    const std::uint32_t cut = c.culprit == kNone ? kNone : h.ret[c.culprit];
    Json json;
    json["kind"] = "counterexample";
    json["history"] = events(c, cut);
    json["operations"] = operations(c.operations, cut);
    const auto culprit = std::find(c.operations.begin(), c.operations.end(), c.culprit);
    json["culprit"] =
        culprit == c.operations.end() ? Json(nullptr) : Json(culprit - c.operations.begin());
    json["why"] = c.why;
    json["focus"] = operations(c.focus, cut);
    json["possible_results"] = to_json(c.possible_results);
    if (c.left_state.empty()) {
      json["left_state"] = nullptr;
    } else {
      std::uint32_t line = 0;
      if (c.left_position < h.events.size()) {
        const Event e = h.events[c.left_position];
        line = e.is_return() ? h.return_line[e.operation()] : h.line[e.operation()];
      }
      json["left_state"] = {{"state", c.left_state}, {"line", line_or_null(line)}};
    }
    if (c.stale) json["stale"] = c.stale == 2 ? Json(2) : Json(">2");
    json["minimal"] = c.minimal;
    json["confirmed_by"] = c.confirmed_by.empty() ? Json(nullptr) : Json(c.confirmed_by);
    return json;
  }

  Json operations(const std::vector<OperationId>& ops, std::uint32_t cut) const {
    const History& h = *history_;
    Json out = Json::array();
    for (const OperationId op : ops) {
      Json o = call(op);
      if (h.returned(op)) o["result"] = to_json(h.labels[h.label[op]].result);
      o["pending"] = !h.returned(op);
      o["open"] = !h.returned(op) || h.ret[op] > cut;
      o["call_line"] = line_or_null(h.line[op]);
      o["return_line"] = h.returned(op) ? line_or_null(h.return_line[op]) : Json(nullptr);
      out.push_back(std::move(o));
    }
    return out;
  }

  // The native form of the counterexample: a history that can be checked by itself, unless it
  // begins in `left_state`. What returns after the culprit is there for its result.
  Json events(const Counterexample& c, std::uint32_t cut) const {
    const History& h = *history_;
    std::vector<std::pair<std::uint32_t, Json>> ends;
    for (const OperationId op : c.operations) {
      Json start = {{"type", "call"}};
      start.update(call(op));
      start["line"] = line_or_null(h.line[op]);
      ends.emplace_back(h.call[op], std::move(start));
      if (!h.returned(op)) continue;
      ends.emplace_back(h.ret[op], Json{{"type", "return"},
                                        {"process", to_json(h.processes[h.process[op]])},
                                        {"result", to_json(h.labels[h.label[op]].result)},
                                        {"line", line_or_null(h.return_line[op])}});
    }
    std::sort(ends.begin(), ends.end(),
              [](const auto& a, const auto& b) { return a.first < b.first; });
    Json events = Json::array();
    for (auto& [position, event] : ends) events.push_back(std::move(event));
    if (h.stuck && cut == kNone) events.push_back({{"type", "stuck"}});
    return events;
  }

  Json call(OperationId op) const {
    Json json;
    json["process"] = to_json(history_->processes[history_->process[op]]);
    const Value object = history_->objects[history_->object[op]].name;
    if (!object.is_nil()) json["object"] = to_json(object);
    json["op"] = history_->call_of(op).method;
    json["args"] = to_json(history_->call_of(op).args);
    return json;
  }

  const Subject& subject_;
  const CheckReport& report_;
  const History* history_;
};

}  // namespace

std::string json_report(const Subject& subject) { return line_of(JsonMaker(subject).make()); }

std::string json_evidence(const Subject& subject) {
  return line_of(JsonMaker(subject).evidence_alone());
}

std::string json_model_report(const ModelSubject& model) {
  const refine::VerifyReport& report = *model.report;
  const refine::Found& found = report.found;
  Json json = frame("verify");
  json["file"] = model.file;
  json["property"] = model.options.explore_only ? "explored" : model.options.property;
  json["specification"] = model.program ? Json(model.program->object) : Json(nullptr);
  json["verdict"] = to_string(found.verdict);
  if (!report.reason.empty()) json["reason"] = report.reason;
  Json scope;
  scope["interrupted"] = model.interrupted;
  scope["states"] = found.states;
  scope["implementation_states"] = found.implementation;
  scope["transitions"] = found.transitions;
  scope["depth"] = found.depth;
  scope["waiting"] = found.waiting;
  scope["sets"] = found.sets;
  scope["largest_set"] = found.largest_set;
  Json bounds = Json::object();
  if (model.program) {
    bounds["processes"] = model.program->processes();
    for (const auto& [name, value] : model.program->constants) bounds[name] = value;
  }
  scope["bounds"] = std::move(bounds);
  const bool simulated = model.options.property == "simulated";
  const bool product = !model.options.explore_only && !model.options.progress && !simulated;
  const bool engine_apart =
      model.options.criterion == refine::Criterion::points || records(model.options.criterion);
  scope["engine"] = simulated                       ? "run"
                    : model.options.progress        ? "graph"
                    : !product                      ? "explore"
                    : report.marks || !engine_apart ? "product"
                                                    : to_string(model.options.criterion);
  if (model.seed) scope["seed"] = *model.seed;
  for (const refine::ReductionName& r : refine::kReductions)
    scope["reductions"][r.name] =
        product && !refine::records(model.options.criterion) && model.options.reductions.*r.on;
  if (model.options.savings) {
    scope["without"] = Json::object();
    for (const refine::Saving& s : report.savings)
      scope["without"][s.without] = {{"states", s.states},
                                     {"transitions", s.transitions},
                                     {"seconds", rounded(s.seconds)},
                                     {"complete", s.complete}};
  }
  scope["native"] = found.native;
  scope["compile_seconds"] = rounded(found.compile_seconds);
  scope["notes"] = report.notes;
  scope["total_seconds"] = rounded(model.total_seconds);
  scope["timeout_seconds"] = limit_or_null(model.options.timeout_seconds);
  scope["memory_bytes"] =
      model.options.memory_bytes ? Json(model.options.memory_bytes) : Json(nullptr);
  json["scope"] = std::move(scope);
  if (report.counterexample) {
    Subject subject;
    CheckReport check;
    check.verdict = Verdict::violation;
    check.counterexample = report.counterexample;
    subject.history = report.history.get();
    subject.report = &check;
    json["evidence"] = JsonMaker(subject).evidence_alone();
    json["evidence"]["trace"] = to_json(report.trace);
    json["evidence"]["waiting"] = to_json(report.waiting);
  } else if (model.options.property == "simulated" && report.history) {
    Subject subject;
    CheckReport check;
    check.verdict = Verdict::violation;
    check.counterexample.emplace();
    for (OperationId op = 0; op < report.history->size(); ++op)
      check.counterexample->operations.push_back(op);
    subject.history = report.history.get();
    subject.report = &check;
    json["evidence"] = {{"kind", "run"},
                        {"history", JsonMaker(subject).evidence_alone()["history"]},
                        {"trace", to_json(report.trace)},
                        {"waiting", to_json(report.waiting)}};
  } else if (!report.why.empty()) {
    json["evidence"] = {{"kind", "lasso"},
                        {"why", report.why},
                        {"trace", to_json(report.trace)},
                        {"loop", to_json(report.loop)},
                        {"waiting", to_json(report.waiting)}};
  } else {
    json["evidence"] = {{"kind", "none"}};
  }
  json["findings"] = Json::array();
  json["warnings"] = Json::array();
  for (const refine::Warning& w : report.warnings)
    json["warnings"].push_back({{"kind", refine::to_string(w.kind)},
                                {"line", w.place.line},
                                {"column", w.place.column},
                                {"text", w.what}});
  if (report.marks)
    json["marks"] = {{"why", report.marks->why}, {"trace", to_json(report.marks->trace)}};
  json["seconds"] = rounded(report.seconds);
  json["peak_bytes"] = model.peak_bytes;
  return line_of(json);
}

std::string json_summary(const Summary& summary) {
  Json errors = Json::array();
  for (const Error& e : summary.errors)
    errors.push_back({{"file", e.file},
                      {"line", e.line ? Json(e.line) : Json(nullptr)},
                      {"message", e.message},
                      {"remedy", e.remedy},
                      {"exit_status", static_cast<int>(e.kind)}});
  Json json = frame(summary.command);
  json["summary"] = {{summary.command == "verify" ? "rows" : "files", summary.files},
                     {"holds", summary.holds},
                     {"violation", summary.violation},
                     {"undecided", summary.undecided},
                     {"errors", std::move(errors)},
                     {"interrupted", summary.interrupted},
                     {"exit_status", summary.exit_status},
                     {"seconds", rounded(summary.seconds)}};
  return line_of(json);
}

std::string json_operation(const History& h, OperationId op, bool displaced) {
  Json json;
  json["process"] = to_json(h.processes[h.process[op]]);
  const Value object = h.objects[h.object[op]].name;
  if (!object.is_nil()) json["object"] = to_json(object);
  json["op"] = h.call_of(op).method;
  json["args"] = to_json(h.call_of(op).args);
  const Label& label = h.labels[h.label[op]];
  if (label.known) json["result"] = to_json(label.result);
  else json["pending"] = true;
  json["line"] = line_or_null(h.line[op]);
  if (displaced) json["displaced"] = true;
  return line_of(json);
}

}  // namespace plumb::report
