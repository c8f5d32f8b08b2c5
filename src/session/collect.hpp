// SPDX-License-Identifier: MIT
// --html, --junit and --markdown of an exploration, or of a test of an object.
#pragma once

#include <string>
#include <vector>

#include "report/case.hpp"
#include "report/report.hpp"
#include "session/settings.hpp"

namespace plumb::session {

/// Asked before anything is run, which would be for nothing. Empty: it can be, or none is asked
/// for.
std::string why_not_written(const std::string& file);

/// Empty: written, or not asked for. `group`: what is tested in the program; `cases`: its tests;
/// empty: the whole is one.
std::string collect(const Settings& settings, const std::string& group,
                    const report::Report& report, const std::vector<report::Case>& cases);

}  // namespace plumb::session
