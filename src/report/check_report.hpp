// SPDX-License-Identifier: MIT
// The report of plumb check.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "report/report.hpp"

namespace plumb::report {

/// What the command knows beside what was found.
struct CheckRequest {
  std::string file;
  HistoryView view;
  std::string engine = "auto";
  bool partition = true;
  /// Where the check had to be abandoned: by its progress.
  std::uint64_t partitions = 0, partitions_decided = 0;
  std::string witness_file;  // empty: not written
  std::shared_ptr<const QuasiReport> quasi;
  double reading_seconds = 0, total_seconds = 0;
  Limits limits;
  std::uint64_t peak_bytes = 0;  // of the process
  std::string replay;            // the command
};
Report check_report(CheckReport found, const CheckRequest& request);

}  // namespace plumb::report
