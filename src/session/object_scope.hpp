// SPDX-License-Identifier: MIT
// What a test of an object covered: how many tests, of which sizes, under which schedules.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "lineup/campaign.hpp"
#include "session/object_settings.hpp"
#include "session/settings.hpp"

namespace plumb::session {

// "2 preemptions"; -1: "any number of preemptions"
std::string preemptions_words(int n);

// Lines of two blanks and a sentence.
std::string scope_text(const lineup::Object& object, const ObjectSettings& own,
                       const Settings& settings, const lineup::CampaignResult& result);

nlohmann::json scope_json(const lineup::Object& object, const ObjectSettings& own,
                          const Settings& settings, const lineup::CampaignResult& result);

}  // namespace plumb::session
