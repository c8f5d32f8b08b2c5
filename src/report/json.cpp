// SPDX-License-Identifier: MIT
#include "report/json.hpp"

#include "report/json_parts.hpp"
#include "report/version.hpp"

namespace plumb::report {
namespace {

std::string_view name_of(Command command) {
  return command == Command::check ? "check" : command == Command::verify ? "verify" : "test";
}

Json frame(Command command) {
  return Json::object({{"schema", kReportSchema},
                       {"tool", "plumb"},
                       {"version", version()},
                       {"command", name_of(command)}});
}

Json findings_json(const Report& report) {
  Json findings = Json::array();
  for (const Finding& finding : report.findings) findings.push_back(finding_json(finding));
  for (const FailedTest& failed : report.failures)
    for (const Finding& finding : failed.findings) findings.push_back(finding_json(finding));
  return findings;
}

Json warnings_json(const std::vector<refine::Warning>& warnings) {
  Json json = Json::array();
  for (const refine::Warning& w : warnings)
    json.push_back(Json::object({{"kind", refine::to_string(w.kind)},
                                 {"line", w.place.line},
                                 {"column", w.place.column},
                                 {"text", w.what}}));
  return json;
}

// Of tests of an object: the first that is no finding.
const Evidence& shown_evidence(const Report& report) {
  for (const FailedTest& failed : report.failures)
    if (failed.evidence.refutation()) return failed.evidence;
  return report.evidence;
}

}  // namespace

Json report_tree(const Report& report) {
  const bool of_test = report.command == Command::test;
  Json json = frame(report.command);
  json["file"] = report.file;
  json["property"] = report.property;
  json["specification"] = text_or_null(report.specification);
  json["verdict"] = to_string(report.verdict);
  if (!report.reason.empty()) json["reason"] = report.reason;
  if (report.stopped != StopReason::none) json["stopped"] = to_string(report.stopped);
  json["scope"] = scope_json(report);
  json["evidence"] = evidence_json(shown_evidence(report));
  json["findings"] = findings_json(report);
  if (report.program) json["program"] = program_json(*report.program);
  if (report.model()) json["warnings"] = warnings_json(report.warnings);
  if (report.marks)
    json["marks"] =
        Json::object({{"why", report.marks->why}, {"trace", to_json(report.marks->trace)}});
  for (const FailedTest& failed : report.failures) json["failures"].push_back(failure_json(failed));
  if (report.comparison)
    json["comparison"] = comparison_json(*report.comparison, report.campaign()->counts);
  for (const Suppression& one : report.suppressions)
    json["suppressions"].push_back(Json::object(
        {{"file", one.file}, {"line", one.line}, {"pattern", one.pattern}, {"races", one.races}}));
  json["seconds"] = of_test ? report.seconds : rounded(report.seconds);
  json["peak_bytes"] = report.peak_bytes;
  return json;
}

// Schema 1 had its number in "report", and is otherwise the same.
bool has_known_schema(const Json& report) {
  const auto is = [&](std::string_view name, std::uint64_t number) {
    const Json* const member = report.find(name);
    return member && member->count() && *member->count() == number;
  };
  return is("schema", kReportSchema) || is("report", 1);
}

std::string json_report(const Report& report) { return report_tree(report).dump(); }

std::string json_summary(const Summary& summary) {
  Json errors = Json::array();
  for (const Error& e : summary.errors)
    errors.push_back(Json::object({{"file", e.file},
                                   {"line", number_or_null(e.line)},
                                   {"message", e.message},
                                   {"remedy", e.remedy},
                                   {"exit_status", static_cast<int>(e.kind)}}));
  Json json = frame(summary.command);
  const bool of_rows = summary.command == Command::verify;
  json["summary"] = Json::object({{of_rows ? "rows" : "files", summary.files},
                                  {"holds", summary.holds},
                                  {"violation", summary.violation},
                                  {"undecided", summary.undecided},
                                  {"errors", std::move(errors)},
                                  {"interrupted", summary.interrupted},
                                  {"exit_status", to_int(summary.exit_status)},
                                  {"seconds", rounded(summary.seconds)}});
  return json.dump() + "\n";
}

std::string json_operation(const History& h, OperationId op, bool displaced) {
  Json json = call_json(h, op);
  const Label& label = h.labels[h.label[op]];
  if (label.known) json["result"] = to_json(label.result);
  else json["pending"] = true;
  json["line"] = number_or_null(h.line[op]);
  if (displaced) json["displaced"] = true;
  return json.dump() + "\n";
}

}  // namespace plumb::report
