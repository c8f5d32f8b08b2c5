// SPDX-License-Identifier: MIT
// --html, --junit and --markdown of an exploration, or of a test of an object.
#pragma once

#include <string>

#include "session/narrate.hpp"

namespace plumb::session {

// Empty: written, or not asked for. `name` is the program's, `group` that of what is tested in it.
std::string collect(const Settings& settings, const std::string& name, const std::string& group,
                    int status, const Report& report);

}  // namespace plumb::session
