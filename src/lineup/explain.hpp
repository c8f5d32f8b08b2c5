// SPDX-License-Identifier: MIT
// Why a test fails: the history, and why no serial order explains it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lineup/check.hpp"
#include "plumb/check.hpp"
#include "plumb/history.hpp"

namespace plumb::lineup {

struct Explanation {
  std::vector<std::string> why;                   // sentences
  std::shared_ptr<const plumb::History> history;  // null: it could not be decided again
  std::optional<Counterexample> counterexample;   // of it
  const Specification* specification = nullptr;   // if one was given
  std::shared_ptr<const QuasiReport> quasi;       // if it was relaxed
  /// Operations of it whose outcome is not that of the nearest serial history.
  std::vector<OperationId> differs;
};

/// Requires: result.verdict is fail, and the failure is not one of the explorer.
Explanation explain(const Matrix& test, const Object& object, const CheckResult& result,
                    const Results& results);

}  // namespace plumb::lineup
