// SPDX-License-Identifier: MIT
// The settings of an exploration. The same options work on the command line, in plumb::explore()
// and in a replay command; options/table.def lists them.
#pragma once

#include <string>

#include "options/settings.hpp"

namespace plumb::session {

using options::HeapChoice;
using options::ScheduleAt;
using options::SearchBy;
using options::Settings;

/// What no single option can know: whether schedules are schedules, and what cannot be combined.
/// Empty: all is well.
std::string check_settings(const Settings& settings, bool of_object);

}  // namespace plumb::session
