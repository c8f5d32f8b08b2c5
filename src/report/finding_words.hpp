// SPDX-License-Identifier: MIT
// What a finding is called.
#pragma once

#include <string>

#include "report/finding.hpp"

namespace plumb::report {

/// "use after free"
std::string finding_words(FindingKind kind);
/// With the function, where that says what is wrong: "crash in Queue::pop() (SIGSEGV)".
std::string finding_words(const Finding& finding);

}  // namespace plumb::report
