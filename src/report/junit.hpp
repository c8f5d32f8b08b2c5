// SPDX-License-Identifier: MIT
// Reports in JUnit's XML format, for CI servers.
#pragma once

#include <string>
#include <vector>

#include "report/case.hpp"

namespace plumb::report {

/// One test suite. A violation is a <failure>; what is undecided, or could not be read, an <error>
/// and never <skipped>, which servers show as green. `group` is the class name of its cases.
std::string junit(const std::string& suite, const std::string& group,
                  const std::vector<Case>& cases, double seconds);

}  // namespace plumb::report
