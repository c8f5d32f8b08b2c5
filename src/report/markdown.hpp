// SPDX-License-Identifier: MIT
// A summary in GitHub's Markdown, for $GITHUB_STEP_SUMMARY or a comment.
#pragma once

#include <string>
#include <vector>

#include "report/case.hpp"

namespace plumb::report {

/// A table of all cases, if they are several; then each that does not hold: its verdict, its report
/// as it is, and the command that shows it again. A single case is always shown.
std::string markdown(const std::vector<Case>& cases);

}  // namespace plumb::report
