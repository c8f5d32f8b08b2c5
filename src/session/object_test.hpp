// SPDX-License-Identifier: MIT
// The test of an object: Line-Up on the explorer, and its report.
#pragma once

#include <functional>
#include <string>

#include "plumb/test_abi.hpp"
#include "session/narrate.hpp"
#include "session/object_save.hpp"
#include "session/object_settings.hpp"
#include "session/watch.hpp"

namespace plumb::session {

lineup::Object object_of(const plumb_object& object);

struct Tested {
  int status = 70;
  std::uint64_t executions = 0;
  Report report;
};

// `source` is the file in which the test is written; `again` makes a command out of options.
// Requires: the watch is open; the settings are bound.
Tested test_object(Watch& watch, const Settings& settings, const ObjectSettings& object_settings,
                   ObjectSave& save, const lineup::Object& object, const std::string& name,
                   const std::string& source,
                   const std::function<std::string(const std::string&)>& again);

}  // namespace plumb::session
