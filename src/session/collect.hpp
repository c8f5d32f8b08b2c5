// SPDX-License-Identifier: MIT
// --html, --junit and --markdown of an exploration, or of a test of an object.
#pragma once

#include <string>

#include "session/narrate.hpp"

namespace plumb::session {

// Asked before anything is run, which would be for nothing. Empty: it can be, or none is asked for.
std::string why_not_written(const std::string& file);

// Empty: written, or not asked for. `name` is the program's, `group` that of what is tested in it.
std::string collect(const Settings& settings, const std::string& name, const std::string& group,
                    int status, const Report& report);

}  // namespace plumb::session
