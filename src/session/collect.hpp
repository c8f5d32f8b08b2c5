// SPDX-License-Identifier: MIT
// --html, --junit and --markdown of an exploration, or of a test of an object.
#pragma once

#include <string>
#include <vector>

#include "plumb/result.hpp"
#include "report/case.hpp"
#include "report/report.hpp"
#include "session/settings.hpp"

namespace plumb::session {

/// FILE: why it could not be written.
std::string describe_unwritten(const Error& error);

/// Asked before anything is run, which would be for nothing. Empty: it can be, or none is asked
/// for.
std::string why_not_written(const std::string& file);

struct Collected {
  std::string trouble;  // what could not be written; empty: nothing
  std::string printed;  // what was asked for on standard output (-), for after the report
};

/// Writes what is asked for. `group`: what is tested in the program; `cases`: its tests; empty: the
/// whole is one.
Collected collect(const Settings& settings, const std::string& group, const report::Report& report,
                  const std::vector<report::Case>& cases);

}  // namespace plumb::session
