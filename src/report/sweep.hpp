// SPDX-License-Identifier: MIT
// A model checked for several values of its constants: one row per combination.
#pragma once

#include <string>

#include "model/code/program.hpp"
#include "report/case.hpp"

namespace plumb::report {

struct SweepRow {
  model::Settings settings;
  CaseVerdict outcome = CaseVerdict::error;
  std::string reason;  // or what else is worth saying
  std::uint64_t states = 0, transitions = 0, depth = 0;
  double seconds = 0;
  std::uint64_t peak_bytes = 0;
};

/// The head of the table, and one row of it. `all`: the settings of all rows, for their widths.
std::string sweep_head(const std::vector<model::Settings>& all);
std::string sweep_row(const SweepRow& row, const std::vector<model::Settings>& all);

/// " --set N=3 --set K=2"
std::string settings_words(const model::Settings& settings);

}  // namespace plumb::report
