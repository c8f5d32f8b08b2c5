// SPDX-License-Identifier: MIT
// The report for programs: docs/report.md says what it means, docs/report.schema.json its shape.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "plumb/result.hpp"
#include "report/report.hpp"

namespace plumb::report {

/// The shape of reports; another number where programs that read them have to change (NEWS.md).
inline constexpr std::uint64_t kReportSchema = 2;

Json report_tree(const Report& report);
/// Whether what was read is a report as this version knows them.
bool has_known_schema(const Json& report);

/// One line, without the new line at its end.
std::string json_report(const Report& report);

/// What became of several files, or of several rows of a sweep.
struct Summary {
  Command command = Command::check;
  std::size_t files = 0, holds = 0, violation = 0, undecided = 0;
  std::vector<Error> errors;
  bool interrupted = false;
  ExitStatus exit_status = ExitStatus::holds;
  double seconds = 0;
};
/// One line of JSON.
std::string json_summary(const Summary& summary);

/// One operation of a witness: one line of JSON. `displaced`: of the witness permuted
/// (QuasiReport::displaced).
std::string json_operation(const History& history, OperationId op, bool displaced = false);

}  // namespace plumb::report
