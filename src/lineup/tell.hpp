// SPDX-License-Identifier: MIT
// What a failing test shows, for people and for programs: the history as a table, and why no serial
// order explains it.
#pragma once

#include <string>
#include <vector>

#include "lineup/check.hpp"
#include "plumb/history.hpp"

namespace plumb::lineup {

// The history as the other doors know it. `typed`: results and arguments are values, where their
// text is one in JSON; otherwise they are what is printed.
plumb::History to_history(const Matrix& test, const Object& object, const History& history,
                          const Results& results, bool typed);

struct Told {
  std::string table;             // lines, indented by two
  std::vector<std::string> why;  // sentences
  std::string evidence;          // JSON, of docs/report.schema.json
  /// Operations of it whose outcome is not that of the nearest serial history.
  std::vector<OperationId> differs;
};

// Requires: result.verdict is fail, and the failure is not one of the explorer.
Told tell(const Matrix& test, const Object& object, const CheckResult& result,
          const Results& results);

}  // namespace plumb::lineup
