// SPDX-License-Identifier: MIT
// The test of an object: Line-Up on the explorer, and its report.
#pragma once

#include <string>
#include <vector>

#include "plumb/test_abi.hpp"
#include "report/case.hpp"
#include "report/report.hpp"
#include "session/findings.hpp"
#include "session/object_save.hpp"
#include "session/object_settings.hpp"
#include "session/watch.hpp"

namespace plumb::session {

lineup::Object object_of(const plumb_object& object);

/// The program that the object is in.
struct TestedProgram {
  std::string name;
  std::string source;  // the file in which the test is written
  ReplayCommand replay;
};

struct Tested {
  report::Report report;
  std::vector<report::Case> cases;  // its tests
};

/// Requires: the watch is open; the settings are bound.
Tested test_object(Watch& watch, const Settings& settings, const ObjectSettings& object_settings,
                   ObjectSave& save, const lineup::Object& object, const TestedProgram& program);

}  // namespace plumb::session
