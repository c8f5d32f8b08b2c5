// SPDX-License-Identifier: MIT
// Can another class stand for what is right? It has to know every operation of the object, by its
// text.
#pragma once

#include <string>

#include "plumb/test_abi.hpp"
#include "session/object_settings.hpp"

namespace plumb::session {

/// What the reference lacks of the operations that tests may call; empty: nothing. Requires: the
/// object has a reference; the settings are bound.
std::string what_reference_lacks(const plumb_object& object, const Settings& settings,
                                 const ObjectSettings& object_settings);

}  // namespace plumb::session
