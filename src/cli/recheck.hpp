// SPDX-License-Identifier: MIT
// plumb check --recheck: the evidence of reports, verified again.
#pragma once

#include <string>

#include "base/exit_status.hpp"
#include "plumb/formats.hpp"
#include "plumb/specification.hpp"

namespace plumb::cli {

struct RecheckOptions {
  ReadOptions read;
  const Specification* given = nullptr;  // --spec; null: what the report says
  std::optional<Value> initial;
};

/// Verifies all reports of a JSON file, which `plumb check --json` wrote, and prints a line about
/// each. Returns: holds, if all evidence was verified; undecided, if some could not be;
/// an error's status, if some is wrong or missing.
ExitStatus recheck(const std::string& file, const RecheckOptions& options);

}  // namespace plumb::cli
