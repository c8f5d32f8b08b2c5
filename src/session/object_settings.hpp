// SPDX-License-Identifier: MIT
// What a user can say about the test of an object, besides what can be said about any exploration.
#pragma once

#include <string>
#include <vector>

#include "lineup/campaign.hpp"

namespace plumb::session {

struct ObjectSettings {
  lineup::CampaignSettings campaign;
  std::vector<std::string> words;    // all that was said about it
  std::vector<std::string> tests;    // as text
  std::vector<std::string> without;  // methods
  std::string initial, final;        // as text, for all tests that are made up
  std::vector<std::string> units;    // as text
  std::string observations;          // a file: written, or read if it is there
  bool compare = false;              // with what other checkers would have said
  std::string regression;            // a file to be written
  std::string first;                 // a schedule that is run first, if it fits
  bool serial = false;               // no concurrent runs
  bool has_own_main = true;          // else tests are asked for in code, of GoogleTest say
  std::string specification_name;    // --spec
};

/// Takes its own words out of `words`. Empty: understood.
std::string parse_object(std::vector<std::string>& words, ObjectSettings& settings);

/// What the settings mean for this object. Empty: understood.
std::string bind(ObjectSettings& settings, lineup::Object& object);

}  // namespace plumb::session
