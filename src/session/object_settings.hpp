// SPDX-License-Identifier: MIT
// What the options of a test of an object mean for one object.
#pragma once

#include <string>
#include <vector>

#include "lineup/campaign.hpp"
#include "session/settings.hpp"

namespace plumb::session {

struct ObjectSettings {
  lineup::CampaignSettings campaign;
  std::vector<std::string> without;  // methods
  std::string observations;          // a file: written, or read if it exists
  bool compare = false;              // with what other checkers would have said
  std::string regression;            // a file to be written
  std::string first;                 // a schedule that is run first, if it fits
  bool serial = false;               // no concurrent runs
  bool has_own_main = true;          // else tests are asked for in code, of GoogleTest say
  std::string specification_name;    // --spec
};

/// Without looking at the object. Empty: understood.
std::string read_object_settings(const Settings& settings, ObjectSettings& object_settings);

/// What the settings mean for this object. Empty: understood.
std::string bind(const Settings& settings, ObjectSettings& object_settings, lineup::Object& object);

}  // namespace plumb::session
