// SPDX-License-Identifier: MIT
// What the options of a test of an object mean for one object.
#pragma once

#include <string>

#include "lineup/campaign.hpp"
#include "session/settings.hpp"

namespace plumb::session {

struct ObjectSettings {
  lineup::CampaignSettings campaign;
  bool has_own_main = true;  // else tests are asked for in code, of GoogleTest say
};

/// Without looking at the object. Empty: understood.
std::string read_object_settings(const Settings& settings, ObjectSettings& object_settings);

/// What the settings mean for this object. Empty: understood.
std::string bind(const Settings& settings, ObjectSettings& object_settings, lineup::Object& object);

}  // namespace plumb::session
