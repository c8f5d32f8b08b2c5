// SPDX-License-Identifier: MIT
// The parts of the report for programs (json.hpp).
#pragma once

#include <cmath>
#include <span>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "report/report.hpp"

namespace plumb::report {

Json to_json(Value value);
Json to_json(std::span<const Value> values);
Json to_json(const std::vector<refine::TraceStep>& trace);
/// "process", "object" (if it has a name), "op", "args"
Json call_json(const History& history, OperationId op);
/// The operations as events of the native format: a history that can be checked by itself, unless
/// it begins in a state of its own.
Json events_json(const History& history, const std::vector<OperationId>& operations);

Json evidence_json(const Evidence& evidence);
Json scope_json(const Report& report);
Json program_json(const ProgramSource& program);
Json finding_json(const Finding& finding);
Json failure_json(const FailedTest& failed);
Json comparison_json(const Comparison& comparison, const lineup::CampaignCounts& counts);

/// Null where it is 0.
template <class T>
Json number_or_null(T number) {
  return number > 0 ? Json(number) : Json();
}
inline Json text_or_null(const std::string& text) { return text.empty() ? Json() : Json(text); }
/// Microseconds are enough, and shorter.
inline double rounded(double seconds) { return std::round(seconds * 1e6) / 1e6; }

}  // namespace plumb::report
